import CleatAgent
import CleatSandbox
import Testing

@Suite("Quotas in the configuration")
struct FileQuotaTests {
    private func read(_ text: String) throws -> [Area: Quota] { try AgentConfiguration(text: Array(text.utf8)).quotas }

    @Test("Without a configuration every area has its default quota")
    func standard() throws {
        let quotas = try read("{}")
        #expect(Set(quotas.keys) == Set(Area.allCases))
        #expect(quotas == AgentConfiguration().quotas)
        #expect(quotas.values.allSatisfy { $0.bytes >= 1 << 20 && $0.bytes < .max && $0.files > 0 })
    }

    @Test("Configured members are used, and the others have their defaults")
    func configuredQuota() throws {
        let quotas = try read(
            #"{ files: { documents: { bytes: "5MiB", files: 7 }, inbox: { bytes: 12 }, library: {} } }"#)
        #expect(quotas[.documents] == Quota(bytes: 5 << 20, files: 7))
        #expect(quotas[.inbox] == Quota(bytes: 12, files: AgentConfiguration.standardQuota(.inbox).files))
        #expect(quotas[.library] == AgentConfiguration.standardQuota(.library))
        #expect(quotas[.temporary] == AgentConfiguration.standardQuota(.temporary))
    }

    @Test(
        "Invalid members are refused, with their position",
        arguments: [
            "{ files: 5 }", "{ files: { downloads: {} } }", "{ files: { inbox: 5 } }",
            "{ files: { inbox: { size: 5 } } }",
            #"{ files: { inbox: { bytes: "much" } } }"#, "{ files: { inbox: { bytes: -1 } } }",
            #"{ files: { inbox: { bytes: "2000TiB" } } }"#, "{ files: { inbox: { files: 1.5 } } }",
            "{ files: { inbox: { files: -1 } } }", "{ files: { inbox: { files: 10000001 } } }",
        ])
    func refused(_ text: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try read(text) }
        #expect(error?.position != nil, "\(String(describing: error))")
    }
}
