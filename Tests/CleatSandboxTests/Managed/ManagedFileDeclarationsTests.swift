import CleatTestSupport
import Testing

@testable import CleatSandbox

@Suite(.tags(.board)) struct ManagedFileDeclarationsTests {
    @Test func theFirstDeclarationOfAPathCounts() throws {
        var generator = SeededGenerator(seed: 7)
        let patterns = ["/etc/a", "/etc/b", "/etc/*", "/etc/a*", "/run/a", "/run/?"]
        for _ in 0..<200 {
            let declarations = try (0..<6).map { index in
                try ManagedFileDeclaration(
                    try #require(patterns.randomElement(using: &generator)), sizeLimit: 1 + index)
            }
            let found = ManagedFileDeclarations(declarations)
            for path in ["/etc/a", "/etc/b", "/etc/ab", "/run/a", "/run/b", "/usr/a"] {
                let checked = try ManagedFileDeclaration.checked(path, "test")
                #expect(found.declaration(of: checked) == declarations.first { $0.declares(checked) })
            }
        }
    }
}
