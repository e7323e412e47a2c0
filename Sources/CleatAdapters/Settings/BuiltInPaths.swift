package import CleatJSON
internal import CleatSandbox
package import CleatSettings

/// Creates paths and declarations from literals in the adapters.
enum BuiltIn {
    /// Returns the path of a setting.
    static func path(_ literal: StaticString) -> SettingPath {
        do {
            return try SettingPath(literal.description)
        } catch {
            // Reached only if a literal is wrong; then every test fails.
            preconditionFailure("an adapter has an invalid path: \(error)")
        }
    }

    /// Returns the declaration of a file, or of a link, by its path.
    static func file(_ path: String, isLink: Bool = false, makesParents: Bool = false) -> ManagedFileDeclaration? {
        try? ManagedFileDeclaration(path, makesParents: makesParents, isLink: isLink)
    }
}

extension LayeredSettings {
    /// Returns the value that the system must follow at a path; nil if only the schema's default, or nothing, is there.
    package func inForce(_ path: SettingPath) -> JSONValue? {
        guard let setting = value(at: path), setting.isSetting, setting.isInForce else { return nil }
        return setting.value
    }

    /// Returns the settings that the system must follow at a path and below it, sorted by their paths.
    package func inForce(under path: SettingPath) -> [ResolvedSetting] {
        list(under: path, defaults: false).filter { $0.isSetting && $0.isInForce }
    }

    /// Returns the first setting that the system must follow at a path or below it; nil if there is none.
    func firstInForce(under path: SettingPath) -> SettingPath? {
        // Below a setting of a known type there are none; one of any type may be a group.
        if let node = schema.lookup(path), !node.isInterior, !node.types.isEmpty {
            return inForce(path) == nil ? nil : path
        }
        return inForce(under: path).first?.path
    }

    /// Returns true if a setting in force at a path or below it is secret.
    func holdsSecret(under path: SettingPath) -> Bool {
        inForce(under: path).contains { $0.isSecret || schema.hides($0.path) }
    }
}
