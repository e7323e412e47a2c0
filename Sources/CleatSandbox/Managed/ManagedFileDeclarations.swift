/// Declared files in the order of their precedence, found by their paths.
struct ManagedFileDeclarations: Sendable {
    /// The declarations, without duplicates; of two for a path, the first one counts.
    let all: [ManagedFileDeclaration]
    /// The places in ``all`` of the first declarations of single files.
    private let plain: [SandboxPath: Int]
    /// The places in ``all`` of the patterns, ascending.
    private let patterns: [Int]

    init(_ declarations: [ManagedFileDeclaration]) {
        var seen: Set<ManagedFileDeclaration> = []
        seen.reserveCapacity(declarations.count)
        all = declarations.filter { seen.insert($0).inserted }
        var (plain, patterns): ([SandboxPath: Int], [Int]) = ([:], [])
        plain.reserveCapacity(all.count)
        for (index, declaration) in all.enumerated() {
            if let file = declaration.file {
                if plain[file] == nil { plain[file] = index }
            } else {
                patterns.append(index)
            }
        }
        (self.plain, self.patterns) = (plain, patterns)
    }

    /// Returns the declaration of a path; nil if there is none.
    func declaration(of path: SandboxPath) -> ManagedFileDeclaration? {
        let place = plain[path]
        let pattern = patterns.first { all[$0].declares(path) }
        guard let first = pattern.map({ min($0, place ?? $0) }) ?? place else { return nil }
        return all[first]
    }

    /// Returns the declaration of a path, and the validated path.
    ///
    /// - Throws: `badPath`; `notDeclared`.
    func declared(_ path: String, _ operation: String) throws(SandboxError) -> (SandboxPath, ManagedFileDeclaration) {
        let checked = try ManagedFileDeclaration.checked(path, operation)
        guard let declaration = declaration(of: checked) else {
            throw SandboxError(.notDeclared, operation, at: checked)
        }
        return (checked, declaration)
    }
}
