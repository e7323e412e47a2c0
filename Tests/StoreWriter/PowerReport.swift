import CleatJSON

/// Collects the checks and findings of a verifier; it names no check that did not run to its end.
struct PowerReport {
    /// Says what is wrong: something acknowledged is not there, or something that is there contradicts itself.
    enum Kind: String {
        case lost, corrupt
    }

    private var checked: [String] = []
    private var problems: [(kind: Kind, text: String)] = []
    /// The number of the last generation, or file, that was found; nil where none could be read.
    var found: Int64?

    mutating func done(_ check: String) { checked.append(check) }

    mutating func problem(_ kind: Kind, _ text: String) {
        // The first ones are enough; a damaged history would have a thousand.
        if problems.count < 20 { problems.append((kind, text)) }
    }

    /// Notes a problem where something does not hold.
    mutating func require(_ holds: Bool, _ kind: Kind, _ text: @autoclosure () -> String) {
        if !holds { problem(kind, text()) }
    }

    /// One line of JSON.
    var text: String {
        let list = problems.map { JSONValue.object(["kind": .string($0.kind.rawValue), "text": .string($0.text)]) }
        let report: JSONObject = [
            "found": found.map { .integer($0) } ?? .null, "checked": .array(checked.map { .string($0) }),
            "problems": .array(list),
        ]
        return JSONWriter.write(.object(report), style: .compact)
    }
}
