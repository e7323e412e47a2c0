import CleatJSON
import CleatViews

/// Prints the faults of one text: the output of `cleat schema validate` and `cleat schema check`.
struct CheckedTextView: TextPresentable, JSONPresentable {
    /// The file.
    var file: String
    /// The faults, in order.
    var faults: [TextFault] = []
    /// The number of further faults.
    var omitted = 0

    var isValid: Bool { faults.isEmpty && omitted == 0 }

    func write(to page: inout TextPage) {
        if isValid { page.line(.init(file, .name), .init(": "), .init("valid", .good)) }
        for fault in faults {
            let place = fault.position.map { ":\($0.line):\($0.column)" } ?? ""
            let head = [fault.path, fault.keyword ?? ""].filter { !$0.isEmpty }.map { $0 + ": " }.joined()
            page.line(.init(file, .name), .init(place + ": " + head), .init(fault.sentence, .bad))
        }
        if omitted > 0 { page.line(.init(file, .name), .init(": and \(omitted) more")) }
    }

    var json: JSONValue {
        var object: JSONObject = ["file": .string(file), "valid": .bool(isValid)]
        if !isValid { object["errors"] = .array(faults.map(\.json)) }
        if omitted > 0 { object["omitted"] = JSONValue(omitted) }
        return .object(object)
    }
}

/// Prints the faults of several texts as one JSON document.
struct CheckedTextListView: TextPresentable, JSONPresentable {
    var texts: [CheckedTextView]

    func write(to page: inout TextPage) {
        for text in texts { text.write(to: &page) }
    }

    var json: JSONValue {
        ["valid": .bool(texts.allSatisfy(\.isValid)), "files": .array(texts.map(\.json))]
    }

    var jsonLines: [JSONValue] { texts.map(\.json) }
}
