import CleatJSON
import CleatTestSupport
import Testing

@Suite(
    "Values of the kernel that only root may read", .tags(.fault), .serialized,
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct RootOnlyValueTests {
    /// A private `/etc`; the parameter below is one of each network namespace.
    private static let preparation = """
        mkdir $D/own-etc
        cp /etc/passwd /etc/group $D/own-etc/
        mount --bind $D/own-etc /etc
        """
    private static let file = "/proc/sys/net/ipv4/tcp_fastopen_key"
    private static let setting = "kernel/sysctl/net.ipv4.tcp_fastopen_key"
    private static func key(_ digit: Int) -> String { "00000000-00000000-00000000-0000000\(digit)" }

    @Test("Drift names such a parameter and not its value; adopt refuses it, and writes it nowhere")
    func drift() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let set = try await board.cleat("set", "\(Self.setting)=\(Self.key(1))")
            #expect(set.status == 0, "\(set)")
            #expect(try await space.script("cat \(Self.file)").output.hasPrefix(Self.key(1)))
            try await space.script("echo \(Self.key(2)) >\(Self.file)")

            for form in ["text", "json"] {
                let drift = try await board.cleat("drift", "--output", form)
                #expect(drift.output.contains("tcp_fastopen_key") && !drift.output.contains(Self.key(2)), "\(drift)")
            }
            let adopted = try await board.cleat("adopt", Self.file)
            #expect(adopted.status == 65 && !adopted.errorText.contains(Self.key(2)), "\(adopted)")
            #expect(try await agent.get(Self.setting) == .string(Self.key(1)))
            #expect(try await space.script("! grep -r \(Self.key(2)) /etc").status == 0)
        }
    }
}
