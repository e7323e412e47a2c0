import CleatAPI
import CleatAgent
import CleatIO
import Testing

/// Rules for files that are settings, as people write them.
@Suite struct ImportRulesTests {
    @Test func whatIsWritten() throws {
        let text = """
            { imports: [
              { match: "*.json5" },
              { match: "site/*", owners: ["root", 4711], confirm: "2m" },
            ] }
            """
        let rules = try AgentConfiguration(text: Array(text.utf8)).imports
        #expect(
            rules == [
                ImportRule(match: try #require(Glob("*.json5")), owners: [0, ProcessSelf.uid]),
                ImportRule(match: try #require(Glob("site/*")), owners: [0, 4711], confirm: 120_000),
            ])
        #expect(try AgentConfiguration(text: Array("{}".utf8)).imports.isEmpty)
    }

    @Test(arguments: [
        ("{ imports: {} }", "imports must be a list"),
        ("{ imports: [7] }", "imports.0 must be an object"),
        ("{ imports: [{}] }", "with the member match"),
        ("{ imports: [{ match: '' }] }", "a pattern such as"),
        ("{ imports: [{ match: '[' }] }", "a pattern such as"),
        ("{ imports: [{ match: '*', owner: 'root' }] }", "unknown member 'owner'"),
        ("{ imports: [{ match: '*', owners: [] }] }", "at least one user"),
        ("{ imports: [{ match: '*', owners: ['nobody-at-all'] }] }", "a user of this board"),
        ("{ imports: [{ match: '*', owners: [-1] }] }", "a user of this board"),
        ("{ imports: [{ match: '*', owners: [4294967295] }] }", "a user of this board"),
        ("{ imports: [{ match: '*', confirm: '1ms' }] }", "imports.0.confirm must be a duration"),
        ("{ imports: [{ match: '*', confirm: true }] }", "imports.0.confirm must be a duration"),
    ])
    func whatIsRefused(_ text: String, _ reason: String) {
        #expect {
            try AgentConfiguration(text: Array(text.utf8))
        } throws: { error in
            "\((error as? ConfigurationError)?.message ?? "\(error)")".contains(reason)
        }
        let many = "{ imports: [" + String(repeating: "{ match: '*' },", count: 33) + "] }"
        #expect(throws: ConfigurationError.self) { try AgentConfiguration(text: Array(many.utf8)) }
    }
}
