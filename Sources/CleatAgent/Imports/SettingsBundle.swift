import CleatAPI
import CleatJSON
import CleatSettings

/// Settings in a file: the output of `cleat export` and the input of `cleat apply`.
struct SettingsBundle: Sendable {
    /// The reason why a file is not a valid bundle: a whole sentence, with line and column, and without any text of the
    /// file, which may be a secret.
    struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
        let description: String
    }

    /// The maximum size of a file in bytes.
    static let limit = 1 << 20

    /// The changes in the order of the file: null unsets, settings that it does not name stay (RFC 7396).
    let changes: [RequestedChange]
    /// True if it sets a secret, or a path without a setting, which may be a misspelled secret.
    let holdsSecrets: Bool
    private let value: JSONObject
    private let schema: Schema

    /// Parses JSON or JSON5.
    ///
    /// - Parameters:
    ///   - text: The contents of the file.
    ///   - schema: The schema that its names are looked up in.
    ///   - mayHide: True if the board may have secrets.
    /// - Throws: The first problem; the values themselves are validated by the settings.
    init(_ text: [UInt8], schema: Schema, mayHide: Bool) throws(Refusal) {
        let read: JSONValue
        let locations: JSONLocations
        do {
            (read, locations) = try JSONReader.readWithLocations(
                text, dialect: .json5, limits: JSONLimits(size: Self.limit, stringBytes: Self.limit))
        } catch {
            throw Refusal(
                description: "Line \(error.line), column \(error.column): \(Self.words(for: error.code)). "
                    + "`cleat apply FILE --check` shows more of it.")
        }
        guard let object = read.objectValue else {
            throw Refusal(
                description: "The file is \(read.typeName), and settings are an object, as in { system: { … } }.")
        }
        var leaves: [(path: SettingPath, value: JSONValue)] = []
        try Self.collect(object, [], locations, into: &leaves)
        var changes: [RequestedChange] = []
        var holdsSecrets = false
        for leaf in leaves {
            // A group needs no members.
            if leaf.value == [:], case .group = schema.place(of: leaf.path) { continue }
            if mayHide, !leaf.value.isNull, schema.mayBeSecret(leaf.path) { holdsSecrets = true }
            changes.append(RequestedChange(path: leaf.path.text, value: leaf.value.isNull ? nil : leaf.value))
        }
        self.changes = changes
        self.holdsSecrets = holdsSecrets
        self.schema = schema
        value = object
    }

    private static func collect(
        _ object: JSONObject, _ above: [String], _ locations: JSONLocations,
        into leaves: inout [(path: SettingPath, value: JSONValue)]
    ) throws(Refusal) {
        for (key, value) in object {
            let segments = above + [key]
            let path: SettingPath
            do {
                path = try SettingPath(segments: segments)
            } catch {
                let place = locations.position(ofKey: segments) ?? locations.nearestPosition(to: segments)
                throw Refusal(
                    description: "Line \(place.line), column \(place.column): this is not a valid name of a setting: "
                        + "\(error.code.description.split(separator: "_").joined(separator: " ")).")
            }
            if let below = value.objectValue, !below.isEmpty {
                try collect(below, segments, locations, into: &leaves)
            } else {
                leaves.append((path, value))
            }
        }
    }

    /// Describes a syntax error by its code alone.
    private static func words(for code: JSONError.Code) -> String {
        switch code {
        case .unexpectedEnd: "the text that starts here is not closed"
        case .invalidText: "this is not UTF-8 text; save the file as UTF-8, without a byte order mark"
        case .duplicateKey: "this name is in its object twice"
        case .numberOutOfRange: "this number cannot be kept"
        case .tooDeep: "this is nested too deep"
        case .tooLarge: "the file is too long"
        case .stringTooLong, .numberTooLong: "this is too long"
        case .tooManyValues: "these are too many values"
        default: "this is not valid JSON5; a text must be in quotes"
        }
    }

    /// The settings of the file without its secrets, as one line of JSON.
    var textWithoutSecrets: String {
        var shown = JSONObject()
        for (key, below) in value { shown[key] = withoutSecrets(below, [key]) }
        return JSONValue.object(shown).canonicalText + "\n"
    }

    private func withoutSecrets(_ value: JSONValue, _ segments: [String]) -> JSONValue? {
        guard let object = value.objectValue, !object.isEmpty else {
            guard !value.isNull, let path = try? SettingPath(segments: segments) else { return value }
            return schema.mayBeSecret(path) ? nil : value
        }
        var shown = JSONObject()
        for (key, below) in object { shown[key] = withoutSecrets(below, segments + [key]) }
        return shown.isEmpty ? nil : .object(shown)
    }
}

extension Schema {
    /// True if the only secrets are those of Wi-Fi networks, of the built-in settings.
    private var hasOnlyWirelessSecrets: Bool { !root.holdsSecrets(besides: "network") }

    /// Returns true if a file that is no bundle, or that is unknown, may have secrets.
    ///
    /// Where the only secrets are those of Wi-Fi networks, that is a file with a word that they come with, or one whose
    /// words cannot be searched.
    func mayHoldSecrets(inUnread text: [UInt8]?) -> Bool {
        guard root.holdsSecrets else { return false }
        guard let text, hasOnlyWirelessSecrets, String(validating: text, as: UTF8.self) != nil,
            !text.contains(0), !text.contains(UInt8(ascii: "\\"))
        else { return true }
        // Letters of both cases.
        let letters = text.map { $0 | 0x20 }
        return ["wifi", "wi-fi", "wlan", "ssid", "pass", "psk", "key", "secret"].contains { word in
            let word = Array(word.utf8)
            return letters.indices.contains { letters[$0] == word[0] && letters[$0...].starts(with: word) }
        }
    }

    /// Returns true if a value for a path may be a secret: the setting is one, also under a former name, or there is no
    /// setting, as if the name of a secret is misspelled.
    fileprivate func mayBeSecret(_ path: SettingPath) -> Bool {
        if newName(of: path) != nil { return hides(path) }
        switch place(of: path) {
        case .setting, .entry: return hides(path)
        // A value at the path of a group may be meant for any setting of it.
        default:
            let first = path.segments.first
            return !hasOnlyWirelessSecrets || first == "network"
                || !root.object.properties.contains { $0.name == first }
        }
    }
}
