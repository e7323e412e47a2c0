import CleatAPI
import CleatJSON
import CleatViews

/// Prints findings and their remedies: the output of `cleat doctor` and `cleat reload`.
struct FindingsView: TextPresentable, JSONPresentable {
    var findings: [DoctorFinding]
    /// The number of findings that did not fit into the reply.
    var omitted: Int
    /// The line for no finding at all.
    var none: String
    var json: JSONValue

    /// True if there is no finding.
    var isEmpty: Bool { findings.isEmpty && omitted == 0 }

    func write(to page: inout TextPage) {
        for finding in findings {
            page.line(
                .init(finding.place, .name), .init(": "), .init(finding.message, .bad))
            page.line(.init("  "), .init(finding.remedy))
        }
        if omitted > 0 { page.line(.init("and \(omitted) more, too many for one reply", .faint)) }
        if isEmpty { page.line(.init(none, .good)) }
    }

    var jsonLines: [JSONValue] { findings.map { JSONValue(showing: $0) } }
}

extension DoctorFinding {
    /// The path of the setting, or of the file with line and column.
    fileprivate var place: String {
        guard let line else { return subject }
        return "\(subject):\(line)" + (column.map { ":\($0)" } ?? "")
    }
}
