import CleatAPI
import CleatJSON

/// Prints findings and their remedies: the output of `cleat doctor`.
struct DoctorView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Doctor.Reply

    func write(to page: inout TextPage) {
        for finding in reply.findings {
            page.line(
                .init(finding.place, .name), .init(": "), .init(finding.message, .bad))
            page.line(.init("  "), .init(finding.remedy))
        }
        if let omitted = reply.omitted, omitted > 0 {
            page.line(.init("and \(omitted) more, too many for one answer", .faint))
        }
        if reply.findings.isEmpty, reply.omitted ?? 0 == 0 { page.line(.init("all is as it should be", .good)) }
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { reply.findings.map { JSONValue(showing: $0) } }
}

extension DoctorFinding {
    /// The path of the setting, or of the file with line and column.
    fileprivate var place: String {
        guard let line else { return subject }
        return "\(subject):\(line)" + (column.map { ":\($0)" } ?? "")
    }
}
