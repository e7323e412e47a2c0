import CleatJSON
import CleatSettings

/// Reads files of values: the vendor's defaults and factory data.
enum ValuesFile {
    /// Reads one file: a JSON5 object, the tree of its values.
    static func read(_ bytes: [UInt8]) throws(SourceRefusal) -> JSONValue {
        let value: JSONValue
        do {
            value = try JSONReader.read(bytes, dialect: .json5, limits: SourceLimits.values)
        } catch {
            throw SourceRefusal(error)
        }
        guard let members = value.objectValue else {
            throw SourceRefusal("the file must be an object with the values, as in { system: { … } }", at: .start)
        }
        for name in members.keys {
            do {
                _ = try SettingPath(segments: [name])
            } catch {
                throw SourceRefusal(
                    "a member's name is not a valid name of a setting: \(error)",
                    at: place(of: [name], in: bytes, isKey: true))
            }
        }
        return value
    }

    /// Returns the positions of the values that the schema refuses.
    static func places(
        ofRefused file: SettingsFile, in bytes: [UInt8], by schema: Schema
    ) -> [SettingPath: JSONPosition] {
        let refused = SourceLayers(SettingsSources(schema: schema, vendor: [file])).refused
        let paths = refused.prefix(SourceLimits.placesPerFile).map(\.path)
        guard !paths.isEmpty,
            let locations = try? JSONReader.locate(
                paths.map(\.segments), in: bytes, dialect: .json5, limits: SourceLimits.values)
        else { return [:] }
        return paths.reduce(into: [:]) { places, path in
            places[path] = locations.position(ofKey: path.segments) ?? locations.nearestPosition(to: path.segments)
        }
    }

    private static func place(of pointer: [String], in bytes: [UInt8], isKey: Bool) -> JSONPosition? {
        let locations = try? JSONReader.locate([pointer], in: bytes, dialect: .json5, limits: SourceLimits.values)
        return isKey ? locations?.position(ofKey: pointer) : locations?.position(of: pointer)
    }
}

extension JSONPosition {
    /// The first position of a file.
    static let start = JSONPosition(line: 1, column: 1)
}
