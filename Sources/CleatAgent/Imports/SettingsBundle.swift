import CleatAPI
import CleatJSON
import CleatSettings

/// Settings that somebody has put into a file: what `cleat export` prints and `cleat apply` takes.
struct SettingsBundle: Sendable {
    /// Why a file is none: a whole sentence, with line and column.
    struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        let description: String
    }

    /// The most bytes of a file.
    static let limit = 1 << 20

    /// What the file asks for, in its order: null unsets, what it does not name stays (RFC 7396).
    let changes: [RequestedChange]
    /// Whether it gives a secret a value.
    let holdsSecrets: Bool
    private let value: JSONObject
    private let schema: Schema

    /// Reads JSON or JSON5.
    ///
    /// - Parameters:
    ///   - text: the file.
    ///   - schema: what its names are looked up in.
    /// - Throws: the first thing that is wrong with it; whether the values fit is for the settings to say.
    init(_ text: [UInt8], schema: Schema) throws(Refusal) {
        let read: JSONValue
        let locations: JSONLocations
        do {
            (read, locations) = try JSONReader.readWithLocations(
                text, dialect: .json5, limits: JSONLimits(size: Self.limit, stringBytes: Self.limit))
        } catch {
            throw Refusal(
                description: "Line \(error.position.line), column \(error.position.column): \(error.message).")
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
            // A group needs nothing to be there.
            if leaf.value == [:], case .group = schema.place(of: leaf.path) { continue }
            if !leaf.value.isNull, schema.isSecret(leaf.path) { holdsSecrets = true }
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
                    description: "Line \(place.line), column \(place.column): this is no name of a setting: \(error).")
            }
            if let below = value.objectValue, !below.isEmpty {
                try collect(below, segments, locations, into: &leaves)
            } else {
                leaves.append((path, value))
            }
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
            return schema.isSecret(path) ? nil : value
        }
        var shown = JSONObject()
        for (key, below) in object { shown[key] = withoutSecrets(below, segments + [key]) }
        return shown.isEmpty ? nil : .object(shown)
    }
}

extension Schema {
    /// Whether a setting that there is, also under a former name, is a secret; what cannot be set is none that was told.
    fileprivate func isSecret(_ path: SettingPath) -> Bool {
        if newName(of: path) != nil { return hides(path) }
        switch place(of: path) {
        case .unknown, .invalidKey: return false
        default: return hides(path)
        }
    }
}
