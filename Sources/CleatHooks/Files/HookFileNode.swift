internal import CleatJSON
internal import CleatSettings

/// One value of a hook file, with its position.
struct HookFileNode {
    let value: JSONValue
    let pointer: [String]
    let locations: JSONLocations

    /// The position at which the value starts.
    var position: JSONPosition { locations.nearestPosition(to: pointer) }

    /// The value's name, for messages.
    private var name: String {
        guard let last = pointer.last else { return "the file" }
        guard Int(last) != nil, pointer.count > 1 else { return HookFileNode.excerpt(last) }
        return "an element of \(pointer[pointer.count - 2])"
    }

    /// Shortens a text from the file for a message, and replaces its control characters.
    static func excerpt(_ text: String) -> String {
        let printable = text.unicodeScalars.prefix(60).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }
        return printable.joined() + (text.unicodeScalars.count > 60 ? "…" : "")
    }

    private func mismatch(_ expected: String) -> HookFileError {
        let found =
            switch value {
            case .null: "null"
            case .bool: "a boolean"
            case .integer, .number: "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        return HookFileError(at: position, "\(name) has to be \(expected), not \(found)")
    }

    private func object() throws(HookFileError) -> JSONObject {
        guard let object = value.objectValue else { throw mismatch("an object, as in { … }") }
        return object
    }

    private func child(_ key: String, _ value: JSONValue) -> HookFileNode {
        HookFileNode(value: value, pointer: pointer + [key], locations: locations)
    }

    /// Throws an error for an unknown member, with its name and the known one that may have been meant.
    func checkMembers(_ known: [String]) throws(HookFileError) {
        for (key, _) in try object() where !known.contains(key) {
            let nearest = known.map { ($0, HookFileNode.distance($0, key)) }.min { $0.1 < $1.1 }
            let hint =
                if let nearest, nearest.1 <= 2 { "did you mean \(nearest.0)?" } else {
                    "the members here are \(known.joined(separator: ", "))"
                }
            let inside = pointer.isEmpty ? "" : " in \(name)"
            throw HookFileError(
                at: locations.position(ofKey: pointer + [key]) ?? position,
                "unknown member \(HookFileNode.excerpt(key))\(inside); \(hint)")
        }
    }

    func member(_ key: String) throws(HookFileError) -> HookFileNode? {
        try object()[key].map { child(key, $0) }
    }

    func members() throws(HookFileError) -> [(name: String, value: HookFileNode)] {
        try object().map { ($0.key, child($0.key, $0.value)) }
    }

    func elements() throws(HookFileError) -> [HookFileNode] {
        guard let array = value.arrayValue else { throw mismatch("an array, as in [\"/bin/true\"]") }
        return array.enumerated().map { child(String($0.offset), $0.element) }
    }

    func boolean() throws(HookFileError) -> Bool {
        guard let flag = value.boolValue else { throw mismatch("true or false") }
        return flag
    }

    func string() throws(HookFileError) -> String {
        guard let text = value.stringValue else { throw mismatch("a string in quotes") }
        return text
    }

    func glob() throws(HookFileError) -> HookPattern {
        let text = try string()
        do {
            return try HookPattern(text)
        } catch {
            throw HookFileError(at: position, error.message)
        }
    }

    func integer(in range: ClosedRange<Int64>) throws(HookFileError) -> Int64 {
        guard let number = value.integerValue else { throw mismatch("a whole number") }
        guard range.contains(number) else {
            throw HookFileError(
                at: position, "\(name) is \(number), but has to be from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Reads a number of bytes, at least one: a whole number, or a text such as `64MiB`.
    func bytes() throws(HookFileError) -> Int64 {
        guard let bytes = value.integerValue ?? value.stringValue.flatMap(ByteCountText.bytes), bytes > 0 else {
            throw HookFileError(
                at: position, "\(name) is not a size; write a number of bytes, or a text such as \"64MiB\"")
        }
        return bytes
    }

    /// Reads a duration: a whole number of milliseconds, or a text such as `30s`.
    func milliseconds(in range: ClosedRange<Int64>) throws(HookFileError) -> Int64 {
        let duration: Int64
        if let number = value.integerValue {
            duration = number
        } else if let text = value.stringValue {
            guard let parsed = DurationText.milliseconds(text) else {
                throw HookFileError(
                    at: position,
                    "\(name) is not a duration; write milliseconds, or a text such as \"250ms\", \"30s\" or \"1h30m\"")
            }
            duration = parsed
        } else {
            throw mismatch("a duration: milliseconds, or a text such as \"30s\"")
        }
        guard range.contains(duration) else {
            throw HookFileError(
                at: position,
                "\(name) has to be from \(range.lowerBound) ms to \(DurationText.text(milliseconds: range.upperBound))")
        }
        return duration
    }

    /// Returns the number of edits (insert, delete, replace) from one word to another, case ignored.
    private static func distance(_ first: String, _ second: String) -> Int {
        let first = Array(first.lowercased().utf8)
        let second = Array(second.lowercased().utf8.prefix(64))
        var row = Array(0...second.count)
        for (i, byte) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in second.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[second.count]
    }
}
