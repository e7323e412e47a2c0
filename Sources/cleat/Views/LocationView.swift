import CleatAPI
import CleatJSON
import CleatViews

/// Prints the board's location: the output of `cleat location`.
struct LocationView: TextPresentable, JSONPresentable {
    /// The location, with the event that a program keeps for it; nil if none does.
    var location: (report: LocationReport, event: Event)?

    func write(to page: inout TextPage) {
        guard let (report, event) = location else { return page.line(.init("no program publishes a location", .faint)) }
        let position = report.latitude.flatMap { latitude in report.longitude.map { "\(latitude), \($0)" } }
        let rows: [(String, String?)] = [
            ("fix", report.fix.rawValue), ("position", position), ("error", text(report.error, 0, " m")),
            ("altitude", text(report.altitude, 0, " m")), ("speed", text(report.speed, 1, " m/s")),
            ("course", text(report.course, 0, "°")), ("time", report.time),
            ("fences", report.fences.isEmpty ? nil : report.fences.joined(separator: " ")),
            ("published", "\(event.time), by \(Self.emitter(of: event))"),
        ]
        for case (let name, let text?) in rows {
            page.line(.init(name, .faint), .init(String(repeating: " ", count: 11 - name.count)), .init(text))
        }
    }

    private func text(_ value: Double?, _ decimals: Int, _ unit: String) -> String? {
        value.flatMap { LocationReport.decimal($0, decimals) }.map { $0 + unit }
    }

    private static func emitter(of event: Event) -> String {
        event.properties[AppEvent.userProperty]
            ?? event.properties[AppEvent.uidProperty].map { "uid \($0)" } ?? "an unknown user"
    }

    var json: JSONValue {
        let report = location?.report ?? LocationReport(fix: .none)
        var object: JSONObject = ["fix": .string(report.fix.rawValue)]
        for (name, value) in [
            ("latitude", report.latitude), ("longitude", report.longitude), ("altitude", report.altitude),
            ("error", report.error), ("speed", report.speed), ("course", report.course),
        ] {
            if let value { object[name] = .number(value) }
        }
        if let time = report.time { object["time"] = .string(time) }
        object["fences"] = .array(report.fences.map { .string($0) })
        if let event = location?.event {
            object["published"] = .string(event.time)
            object["emitter"] = .string(Self.emitter(of: event))
        }
        return .object(object)
    }
}
