import CleatAPI
import CleatJSON
import CleatViews

/// Prints power supplies: the output of `cleat power`.
struct SupplyListView: TablePresentable, JSONPresentable {
    var supplies: [Supply]
    /// The number of supplies that are not shown, because they belong to devices of their own.
    var others = 0

    var columns: [String] { ["NAME", "KIND", "STATUS", "CHARGE", "HEALTH", "VOLTAGE", "CURRENT", "TEMPERATURE"] }

    var rows: [[TextSpan]] {
        supplies.map { supply in
            [
                TextSpan(supply.name, .name), TextSpan(supply.kind.rawValue), TextSpan(Self.state(of: supply)),
                TextSpan(Self.charge(of: supply)),
                TextSpan(supply.health ?? "-", ["good", nil].contains(supply.health) ? .plain : .bad),
                TextSpan(Self.amount(supply.voltage, of: 1_000_000, places: 2, "V")),
                TextSpan(Self.amount(supply.current, of: 1_000_000, places: 2, "A")),
                TextSpan(Self.amount(supply.temperature, of: 10, places: 1, "°C")),
            ]
        }
    }

    private static func state(of supply: Supply) -> String {
        if supply.present == false { return "absent" }
        if let status = supply.status { return status.rawValue }
        return supply.online.map { $0 ? "online" : "offline" } ?? "-"
    }

    private static func charge(of supply: Supply) -> String {
        guard let capacity = supply.capacity else { return supply.level ?? "-" }
        guard let basis = supply.basis, basis != .capacity else { return "\(capacity) %" }
        return "\(capacity) %, by \(basis.rawValue)"
    }

    /// Returns a value that counts parts of a unit as a decimal, rounded towards zero.
    private static func amount(_ value: Int64?, of parts: UInt64, places: Int, _ unit: String) -> String {
        guard let value else { return "-" }
        let scale = (0..<places).reduce(1 as UInt64) { scale, _ in scale * 10 }
        let (whole, rest) = value.magnitude.quotientAndRemainder(dividingBy: parts)
        let digits = String(rest * scale / parts)
        let zeros = String(repeating: "0", count: places - digits.count)
        return "\(value < 0 ? "-" : "")\(whole).\(zeros)\(digits) \(unit)"
    }

    var emptyNote: String {
        others == 0 ? "no power supply" : "no power supply of the board; \(others) of devices with --all"
    }

    var json: JSONValue { ["supplies": .array(jsonLines)] }

    var jsonLines: [JSONValue] { supplies.map { JSONValue(showing: $0) } }
}
