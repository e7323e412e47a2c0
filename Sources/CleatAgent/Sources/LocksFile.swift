import CleatJSON
import CleatSettings

/// Reads files of locks: `{ locks: [ { path: "system/hostname", layer: "factory", reason: "…" } ] }`.
///
/// The path `/` is the whole tree.
enum LocksFile {
    /// Reads one file.
    static func read(_ bytes: [UInt8], file: String) throws(SourceRefusal) -> [SettingLock] {
        let document: (value: JSONValue, locations: JSONLocations)
        do {
            document = try JSONReader.readWithLocations(
                bytes, dialect: .json5, limits: JSONLimits(depth: 8, values: 1 << 14))
        } catch {
            throw SourceRefusal(error)
        }
        do {
            return try locks(ConfigurationReader(locations: document.locations), document.value, file)
        } catch {
            throw SourceRefusal(error)
        }
    }

    private static func locks(
        _ reader: ConfigurationReader, _ value: JSONValue, _ file: String
    ) throws(ConfigurationError) -> [SettingLock] {
        let members = try reader.members(of: value, at: [], known: ["locks"])
        guard let list = members["locks"] else {
            throw reader.refusal(of: value, at: [], "an object with the member locks, a list")
        }
        let elements = try reader.elements(of: list, at: ["locks"])
        guard elements.count <= SourceLimits.locks else {
            throw ConfigurationError(
                position: reader.locations.position(of: ["locks"]),
                message: "locks has \(elements.count) elements, more than \(SourceLimits.locks); lock groups instead")
        }
        var locks: [SettingLock] = []
        for (index, element) in elements.enumerated() {
            locks.append(try lock(reader, element, ["locks", String(index)], file))
        }
        return locks
    }

    private static func lock(
        _ reader: ConfigurationReader, _ value: JSONValue, _ pointer: [String], _ file: String
    ) throws(ConfigurationError) -> SettingLock {
        let members = try reader.members(of: value, at: pointer, known: ["path", "layer", "reason"])
        guard let path = members["path"], let layer = members["layer"] else {
            throw ConfigurationError(
                position: reader.locations.position(of: pointer),
                message: "a lock needs path and layer, as in { path: \"system/hostname\", layer: \"factory\" }")
        }
        let text = try reader.text(path, at: pointer + ["path"])
        let place: SettingPath?
        do {
            place = text == "/" ? nil : try SettingPath(text)
        } catch {
            throw ConfigurationError(
                position: reader.locations.position(of: pointer + ["path"]),
                message: "path is not a valid path of a setting: \(error); \"/\" is the whole tree")
        }
        let origin = try reader.choice(layer, at: pointer + ["layer"], of: LockLayer.self)
        var reason: String?
        if let member = members["reason"] {
            let text = try reader.text(member, at: pointer + ["reason"])
            guard text.utf8.count <= SourceLimits.reasonBytes else {
                throw ConfigurationError(
                    position: reader.locations.position(of: pointer + ["reason"]),
                    message: "reason has more than \(SourceLimits.reasonBytes) bytes; shorten it")
            }
            reason = text
        }
        return SettingLock(path: place, layer: origin.origin, file: file, reason: reason)
    }

    /// The layers that a path can be pinned to; there is none above the volatile one.
    private enum LockLayer: String, CaseIterable {
        case schemaDefault = "schema_default"
        case vendor
        case factory
        case committed

        var origin: ResolvedSetting.Origin {
            switch self {
            case .schemaDefault: .schemaDefault
            case .vendor: .vendor
            case .factory: .factory
            case .committed: .committed
            }
        }
    }
}
