package import CleatAPI

/// The properties of a supply as the kernel reports them in its `uevent` file, `POWER_SUPPLY_…`, read into typed values.
///
/// See Documentation/ABI/testing/sysfs-class-power of the kernel. Drivers disagree on what they report, so each value
/// may be absent, and one that is not valid counts as absent.
extension Supply {
    /// The part that all names of properties begin with.
    private static let prefix = "POWER_SUPPLY_"
    /// The longest text that is taken from a driver, in bytes.
    private static let textLimit = 64

    /// Creates a supply from its properties.
    package init(name: String, _ block: PropertyBlock) {
        let values = block.dictionary
        func text(_ key: String) -> String? {
            guard let value = values[Self.prefix + key], !value.isEmpty, value.utf8.count <= Self.textLimit else {
                return nil
            }
            return value
        }
        func number(_ key: String) -> Int64? { text(key).flatMap { Int64($0) } }
        func word(_ key: String) -> String? {
            guard let word = text(key)?.lowercased(), word != "unknown" else { return nil }
            return word
        }

        self.init(
            name: name, kind: Self.kind(text("TYPE")), scope: text("SCOPE") == "Device" ? .device : .board,
            status: text("STATUS").map(Self.status), level: word("CAPACITY_LEVEL"), health: word("HEALTH"),
            // A programmable supply reports 2.
            online: number("ONLINE").map { $0 != 0 }, present: number("PRESENT").map { $0 != 0 },
            voltage: number("VOLTAGE_NOW"), current: number("CURRENT_NOW"), power: number("POWER_NOW"),
            temperature: number("TEMP"), model: text("MODEL_NAME"))
        if let capacity = number("CAPACITY"), (0...100).contains(capacity) {
            (self.capacity, basis) = (Int(capacity), .capacity)
        } else if let part = Self.percent(number("ENERGY_NOW"), of: number("ENERGY_FULL")) {
            (capacity, basis) = (part, .energy)
        } else if let part = Self.percent(number("CHARGE_NOW"), of: number("CHARGE_FULL")) {
            (capacity, basis) = (part, .charge)
        } else if let middle = level.flatMap({ Self.middles[$0] }) {
            (capacity, basis) = (middle, .level)
        }
    }

    private static func kind(_ type: String?) -> Kind {
        switch type {
        case "Battery": .battery
        case "UPS": .ups
        case "Mains": .mains
        case "Wireless": .wireless
        // Older kernels distinguish the kinds of USB ports: USB_DCP, USB_CDP, ….
        case let type? where type.hasPrefix("USB"): .usb
        default: .other
        }
    }

    private static func status(_ text: String) -> Status {
        switch text {
        case "Charging": .charging
        case "Discharging": .discharging
        case "Not charging": .idle
        case "Full": .full
        default: .unknown
        }
    }

    /// The middle of each level of charge, in percent.
    private static let middles = ["critical": 2, "low": 10, "normal": 50, "high": 85, "full": 100]

    private static func percent(_ now: Int64?, of full: Int64?) -> Int? {
        guard let now, let full, now >= 0, full > 0, now <= Int64.max / 100 else { return nil }
        return Int(min(100, now * 100 / full))
    }

    // MARK: Events

    /// The values as properties of an event, in the order of ``Supply``; those that are absent are left out.
    package var properties: PropertyBlock {
        var block: PropertyBlock = ["NAME": name]
        for (key, value) in words + measurements { if let value { block.append(key.uppercased(), value) } }
        return block
    }

    /// Returns the names of the values that differ, in their order.
    ///
    /// Voltage, current, power and temperature change all the time, and are not compared.
    package func changes(from former: Supply) -> [String] {
        zip(words, former.words).filter { $0.1 != $1.1 }.map(\.0.0)
    }

    /// The values that an event is published for.
    private var words: [(String, String?)] {
        [
            ("kind", kind.rawValue), ("scope", scope.rawValue), ("status", status?.rawValue),
            ("capacity", capacity.map { String($0) }), ("basis", basis?.rawValue), ("level", level),
            ("health", health), ("online", online.map { $0 ? "1" : "0" }), ("present", present.map { $0 ? "1" : "0" }),
            ("model", model),
        ]
    }

    private var measurements: [(String, String?)] {
        [("voltage", voltage), ("current", current), ("power", power), ("temperature", temperature)]
            .map { ($0, $1.map { String($0) }) }
    }

    /// True if a line supplies power by it: it has no charge of its own.
    package var isLine: Bool { kind != .battery && kind != .ups }

    /// True if it is a battery whose charge falls.
    package var isDischarging: Bool { status == .discharging && !isLine }
}
