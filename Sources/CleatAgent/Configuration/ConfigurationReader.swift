import CleatJSON
import CleatSettings

/// Reads members of a document, and reports the position of an invalid one.
struct ConfigurationReader {
    let locations: JSONLocations

    /// Returns the members of an object, which may have only known ones.
    func members(
        of value: JSONValue, at pointer: [String], known: [String]
    ) throws(ConfigurationError) -> JSONObject {
        guard let object = value.objectValue else { throw refusal(of: value, at: pointer, "an object") }
        for (key, _) in object where !known.contains(key) {
            throw ConfigurationError(
                position: locations.position(ofKey: pointer + [key]),
                message: "unknown member '\(key)'; known here: \(known.joined(separator: ", "))")
        }
        return object
    }

    /// Reads a string that is one of several.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ value: JSONValue, at pointer: [String], of type: Choice.Type
    ) throws(ConfigurationError) -> Choice {
        guard let choice = value.stringValue.flatMap(Choice.init(rawValue:)) else {
            throw refusal(of: value, at: pointer, "one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// Reads an integer in a range.
    func integer(
        _ value: JSONValue, at pointer: [String], in range: ClosedRange<Int64>
    ) throws(ConfigurationError) -> Int {
        guard let integer = value.integerValue, range.contains(integer) else {
            throw refusal(of: value, at: pointer, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return Int(integer)
    }

    /// Reads a duration in milliseconds: an integer of milliseconds, or a string with a unit.
    func milliseconds(
        _ value: JSONValue, at pointer: [String], in range: ClosedRange<Int64>
    ) throws(ConfigurationError) -> Int64 {
        let milliseconds = value.integerValue ?? value.stringValue.flatMap(DurationText.milliseconds)
        guard let milliseconds, range.contains(milliseconds) else {
            let least = DurationText.text(milliseconds: range.lowerBound)
            let most = DurationText.text(milliseconds: range.upperBound)
            throw refusal(of: value, at: pointer, "a duration such as \"30s\", from \(least) to \(most)")
        }
        return milliseconds
    }

    /// Reads a size in bytes: an integer of bytes, or a string with a unit.
    func bytes(
        _ value: JSONValue, at pointer: [String], in range: ClosedRange<Int64>
    ) throws(ConfigurationError) -> Int64 {
        let bytes = value.integerValue ?? value.stringValue.flatMap(ByteCountText.bytes)
        guard let bytes, range.contains(bytes) else {
            let most = ByteCountText.text(bytes: range.upperBound)
            throw refusal(of: value, at: pointer, "a size such as \"64MiB\", at most \(most)")
        }
        return bytes
    }

    /// Reads a string.
    func text(_ value: JSONValue, at pointer: [String]) throws(ConfigurationError) -> String {
        guard let text = value.stringValue else { throw refusal(of: value, at: pointer, "a text in quotes") }
        return text
    }

    /// Reads the elements of an array.
    func elements(of value: JSONValue, at pointer: [String]) throws(ConfigurationError) -> [JSONValue] {
        guard let elements = value.arrayValue else { throw refusal(of: value, at: pointer, "a list in brackets") }
        return elements
    }

    /// Returns an error that states the expected value and the position.
    func refusal(of value: JSONValue, at pointer: [String], _ wanted: String) -> ConfigurationError {
        let name = pointer.isEmpty ? "the file" : pointer.joined(separator: ".")
        return ConfigurationError(
            position: locations.nearestPosition(to: pointer), message: "\(name) must be \(wanted), not \(shown(value))")
    }

    /// Returns a value of the file for an error message, short and on one line.
    private func shown(_ value: JSONValue) -> String {
        let text = value.canonicalText
        return text.unicodeScalars.count > 64 ? "\(String(text.unicodeScalars.prefix(64)))…" : text
    }
}
