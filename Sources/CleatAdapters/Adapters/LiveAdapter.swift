package import CleatJSON
package import CleatSettings

/// An adapter that can read the system's own values of the settings that it follows, whether these are set or not.
package protocol LiveAdapter: Adapter {
    /// Returns the values in the system, as settings would express them.
    ///
    /// - Parameters:
    ///   - scope: the settings that are requested.
    ///   - settings: the settings in force; adapters for any number of values return only those that are set or
    ///     requested by name.
    ///   - system: the system, which is only read.
    /// - Returns: the values; none for a value that the system lacks, or that not all users may read.
    /// - Throws: the reason why one could not be read.
    func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue]
}

/// A setting's value in the system.
package struct LiveValue: Equatable, Sendable {
    /// The setting.
    package let path: SettingPath
    /// The value, as the setting would express it.
    package let value: JSONValue
}

/// The settings whose values in the system are requested: one setting, a group, or all.
package struct LiveScope: Equatable, Sendable {
    /// The setting or group; nil for all settings.
    package let prefix: SettingPath?

    /// Creates a scope.
    package init(_ prefix: SettingPath?) { self.prefix = prefix }

    /// Returns true if a setting is in the scope.
    func includes(_ path: SettingPath) -> Bool { prefix?.isPrefix(of: path) ?? true }

    /// Returns true if settings below a path may be in the scope.
    func meets(_ path: SettingPath) -> Bool { prefix.map { $0.isPrefix(of: path) || path.isPrefix(of: $0) } ?? true }

    /// Returns the name below a path that is requested; nil if all below it are.
    func name(below path: SettingPath) -> String? {
        guard let prefix, path.isPrefix(of: prefix), prefix.segments.count > path.segments.count else { return nil }
        return String(prefix.segments[path.segments.count])
    }

    /// Returns the names of devices below a path: the one that is requested, or else all of a class (`/sys/class`).
    func devices(
        ofClass name: String, below path: SettingPath, on system: SystemResources
    ) throws(ResourceError) -> [String] {
        if let requested = self.name(below: path) { return [requested] }
        return try system.names(ofClass: name)
    }

    /// Returns the names below a path: the one that is requested, or else those that are set.
    func names(below path: SettingPath, _ settings: LayeredSettings) -> [String] {
        if let name = name(below: path) { return [name] }
        guard meets(path) else { return [] }
        return settings.inForce(under: path).compactMap { $0.path.parent == path ? $0.path.name : nil }
    }
}

extension SystemResources {
    /// Returns a kernel value as a setting expresses it; nil if there is none, or not all users may read it.
    ///
    /// A setting of a whole number gets a number, one that can only be true or false a Boolean.
    func live(
        attribute file: String, at path: SettingPath, _ settings: LayeredSettings
    ) throws(ResourceError) -> LiveValue? {
        guard let text = try value(ofAttribute: file), try isPublic(.attribute(file)) else { return nil }
        let types = settings.schema.lookup(path)?.types ?? []
        if types.contains(.integer), let number = Int64(text) {
            return LiveValue(path: path, value: .integer(number))
        }
        if types == .boolean, text == "0" || text == "1" { return LiveValue(path: path, value: .bool(text == "1")) }
        return LiveValue(path: path, value: .string(text))
    }
}
