import CleatAPI
import CleatJSON
import CleatViews

/// Prints the board's location: the output of `cleat location`.
struct LocationView: TextPresentable, JSONPresentable {
    /// The event that a program keeps for it; nil if none does.
    var event: Event?

    private var report: LocationReport {
        event.flatMap { LocationReport(properties: $0.properties) } ?? LocationReport(fix: .none)
    }

    func write(to page: inout TextPage) {
        let report = report
        guard let event else { return page.line(.init("no program publishes a location", .faint)) }
        let position = report.latitude.flatMap { latitude in report.longitude.map { "\(latitude), \($0)" } }
        let rows: [(String, String?)] = [
            ("fix", report.fix.rawValue), ("position", position), ("error", text(report.error, 0, " m")),
            ("altitude", text(report.altitude, 0, " m")), ("speed", text(report.speed, 1, " m/s")),
            ("course", text(report.course, 0, "°")), ("time", report.time),
            ("fences", report.fences.isEmpty ? nil : report.fences.joined(separator: " ")),
            ("published", "\(event.time), by \(emitter)"),
        ]
        for case (let name, let text?) in rows {
            page.line(.init(name, .faint), .init(String(repeating: " ", count: 11 - name.count)), .init(text))
        }
    }

    private func text(_ value: Double?, _ decimals: Int, _ unit: String) -> String? {
        value.flatMap { LocationReport.decimal($0, decimals) }.map { $0 + unit }
    }

    private var emitter: String {
        let uid = event?.properties[AppEvent.uidProperty].map { "uid \($0)" } ?? "an unknown user"
        return event?.properties[AppEvent.userProperty] ?? uid
    }

    var json: JSONValue {
        let report = report
        var object: JSONObject = ["fix": .string(report.fix.rawValue)]
        for (name, value) in [
            ("latitude", report.latitude), ("longitude", report.longitude), ("altitude", report.altitude),
            ("error", report.error), ("speed", report.speed), ("course", report.course),
        ] {
            if let value { object[name] = .number(value) }
        }
        if let time = report.time { object["time"] = .string(time) }
        object["fences"] = .array(report.fences.map { .string($0) })
        if let event {
            object["published"] = .string(event.time)
            object["emitter"] = .string(emitter)
        }
        return .object(object)
    }
}
