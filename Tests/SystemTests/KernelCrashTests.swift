import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// The service dies while it changes values and interfaces of the kernel's, which know no file that is whole or absent.
@Suite("Changes of the kernel that are interrupted by SIGKILL", .tags(.board), .serialized)
struct KernelCrashTests {
    private static let preparation =
        InterfaceTests.preparation + """

            mount --bind /proc/sys/net /proc/sys/net
            mount -o remount,bind,rw /proc/sys/net
            """

    private static let sysctl = "kernel/sysctl/net.ipv4.ip_default_ttl"
    private static let interface = "network/interfaces/cleat0"
    private static let look = """
        cat /proc/sys/net/ipv4/ip_default_ttl /etc/sysctl.d/60-cleat.conf
        \(InterfaceTests.look("cleat0"))
        """

    private static func changes(_ number: Int64) -> [RequestedChange] {
        [
            .init(path: sysctl, value: .integer(60 + number)),
            .init(path: "\(interface)/addresses", value: [.string("192.0.2.\(number)/24")]),
            .init(path: "\(interface)/mtu", value: .integer(1400 + number)),
        ]
    }

    /// The places where the service dies, and true if the change is still on trial after the restart.
    private static let places = [
        ("applied /etc/sysctl.d/60-cleat.conf", false), ("applied /proc/sys/net/ipv4/ip_default_ttl", false),
        ("applied the interface cleat0", false), ("beginWindow ends", true),
        ("restored the interface cleat0", false), ("restored /proc/sys/net/ipv4/ip_default_ttl", false),
    ]

    @Test(
        "At each of them, a change on trial is reverted, or is complete",
        .enabled(
            if: TestMachine.slowness == 1 && Machine.hasVeth,
            "needs veth pairs and crash points; what it looks at is the same on a board, where it takes long"))
    func places() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            func look() async throws -> String { try await space.script(Self.look).output }
            var agent = try await board.start(InterfaceTests.options(space))
            _ = try await agent.call(SettingsInterface.Set.self, .init(changes: Self.changes(1), id: "change-1"))
            try await agent.stop()
            let before = try await look()
            for word in ["61\n", "ip_default_ttl = 61", "mtu 1401", "192.0.2.1/24"] {
                #expect(before.contains(word), "\(before)")
            }

            for (number, (place, isOnTrial)) in Self.places.enumerated() {
                var options = InterfaceTests.options(space)
                options.environment["CLEAT_CRASH_POINT"] = place
                let dying = try await board.start(options)
                let id = "try-\(number)"
                await #expect(throws: (any Error).self, "\(place)") {
                    _ = try await dying.call(
                        SettingsInterface.Set.self, .init(changes: Self.changes(2), id: id, confirm: 600_000))
                    _ = try await dying.call(TransactionsInterface.Abort.self, .init(id: id))
                }
                let end = try await dying.waitUntilEnded()
                #expect(end.status == .signalled(Signal.kill.rawValue), "\(place): \(end.outputText)")
                #expect(end.outputText.contains("crash point \(place)\n"), "\(end.outputText)")

                agent = try await board.start(InterfaceTests.options(space))
                let trial = try await agent.status().trial
                #expect((trial?.id == id) == isOnTrial && (trial == nil) != isOnTrial, "\(place): \(trial as Any)")
                if isOnTrial {
                    let onTrial = try await look()
                    for word in ["62\n", "ip_default_ttl = 62", "mtu 1402", "192.0.2.2/24"] {
                        #expect(onTrial.contains(word), "\(place): \(onTrial)")
                    }
                    _ = try await agent.call(TransactionsInterface.Abort.self, .init(id: id))
                }
                #expect(try await look() == before, "\(place)")
                #expect(try await agent.get(Self.sysctl) == 61, "\(place)")
                #expect(try await agent.call(SystemInterface.Drift.self, .init()).drift.isEmpty, "\(place)")
                try await agent.stop()
            }
        }
    }
}
