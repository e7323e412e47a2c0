internal import CleatSandbox
internal import CleatSettings

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
