internal import CleatSandbox
internal import CleatSettings

/// Makes paths and declarations of literals that stand in the adapters.
enum BuiltIn {
    /// The path of a setting.
    static func path(_ literal: StaticString) -> SettingPath {
        do {
            return try SettingPath(literal.description)
        } catch {
            // Only a mistake in a literal leads here, and every test then fails.
            preconditionFailure("an adapter has an invalid path: \(error)")
        }
    }

    /// Declares a file, or a link, by its path.
    static func file(_ path: String, isLink: Bool = false, makesParents: Bool = false) -> ManagedFileDeclaration? {
        try? ManagedFileDeclaration(path, makesParents: makesParents, isLink: isLink)
    }
}
