import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Which service runs the network, and what becomes of settings that were stored under another one.
@Suite(
    "The service that runs the network", .serialized, .tags(.fault),
    .enabled(if: Machine.hasVeth, Machine.vethReason))
struct NetworkServiceTests {
    private static let preparation =
        UnmanagedTests.preparation + """

            mount -t tmpfs -o mode=755 none /run
            ip link add cleat0 type veth peer name cleat1
            """

    private static func mtu(_ space: PrivateNamespace) async throws -> String {
        try await space.script(
            "cat /sys/class/net/cleat0/mtu 2>/dev/null || ip -o link show cleat0 | sed 's/.* mtu \\([0-9]*\\).*/\\1/'"
        )
        .output.split(separator: "\n").first.map(String.init) ?? ""
    }

    @Test("Under NetworkManager settings of interfaces are refused, and doctor lists those that are stored")
    func networkManager() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            var options = space.options
            options.isRooted = false
            var agent = try await board.start(options)
            let kernel = try await board.cleat("set", "network/interfaces/cleat0/mtu=1400")
            #expect(kernel.status == 0, "\(kernel)")
            #expect(try await Self.mtu(space) == "1400")
            // The kernel has no name servers.
            for form in ["set", "plan"] {
                let refused = try await board.cleat(form, #"network/interfaces/cleat0/dns=["192.0.2.53"]"#)
                #expect(refused.status == 65, "\(refused)")
                #expect(
                    refused.complaints.contains("neither systemd-networkd nor ifupdown runs the network"), "\(refused)")
            }
            #expect(try await agent.findings().isEmpty)
            try await agent.stop()

            try await space.script("mkdir /run/NetworkManager")
            agent = try await board.start(options)
            let generation = try await agent.status().generation
            for words in [
                ["set", "network/interfaces/cleat0/mtu=1300"], ["plan", "network/interfaces/cleat1/enabled=true"],
                ["set", "--check", "network/interfaces/cleat0/mtu=1300"],
                ["set", "--volatile", "network/interfaces/cleat0/mtu=1300"],
                ["set", "--confirm", "1m", "network/interfaces/cleat0/mtu=1300"],
            ] {
                let refused = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(refused.status == 65, "\(words): \(refused)")
                #expect(
                    refused.complaints.contains("NetworkManager runs the network of this board"), "\(words): \(refused)"
                )
            }
            #expect(try await agent.status().generation == generation)
            let doctor = try await board.cleat("doctor")
            #expect(
                doctor.status == 1 && doctor.output.contains("network/interfaces/cleat0/mtu")
                    && doctor.output.contains("NetworkManager"), "\(doctor)")
            // What is an application's own is stored as ever.
            #expect(try await board.cleat("set", "system/hostname=other").status == 0)
            #expect(try await board.cleat("unset", "network/interfaces/cleat0/mtu").status == 0)
            #expect(try await agent.findings().isEmpty)
        }
    }
}
