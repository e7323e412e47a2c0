import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Tests of the detection of the network service, and of settings that were stored under another one.
@Suite(
    "The service that runs the network", .serialized, .tags(.fault),
    .enabled(if: Machine.hasVeth, Machine.vethReason))
struct NetworkServiceTests {
    private static let preparation =
        UnmanagedTests.preparation + InterfaceFamilies.writable + """

            mount -t tmpfs -o mode=755 none /run
            ip link add cleat0 type veth peer name cleat1
            """

    @Test("What the service of the network supports is refused in each form once only the kernel is left, and listed")
    func unsupported() async throws {
        try await Board.with { board in
            let unit = "/etc/systemd/system/multi-user.target.wants/NetworkManager.service"
            let space = try await board.makeNamespace(
                Self.preparation + """

                    mkdir -p /run/NetworkManager /etc/systemd/system/multi-user.target.wants
                    ln -s /etc/hosts \(unit)
                    """)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            let privacy = "network/interfaces/cleat0/privacy=true"
            let stored = try await board.cleat("set", privacy)
            #expect(
                stored.status == 0 && stored.output.contains("NetworkManager is not running"), "\(stored)")

            // It is disabled while the service runs; the kernel has it as a parameter of its own.
            try await space.script("rm \(unit)")
            let generation = try await agent.status().generation
            for words in [
                ["set", privacy], ["plan", privacy], ["set", "--check", privacy], ["set", "--volatile", privacy],
                ["set", "--confirm", "1m", privacy],
            ] {
                let refused = try await board.script(
                    #"exec "$CLEAT" "$@""#, words.map { $0.replacing("true", with: "false") })
                #expect(refused.status == 65, "\(words): \(refused)")
                #expect(refused.errorText.contains("network/interfaces/cleat0/privacy"), "\(words): \(refused)")
            }
            #expect(try await agent.status().generation == generation)
            let doctor = try await board.cleat("doctor")
            #expect(
                doctor.status == 1
                    && doctor.output.contains(
                        "network/interfaces/cleat0/privacy: is stored, and is applied by a network service"),
                "\(doctor)")
            // Other settings are stored as ever.
            #expect(try await board.cleat("set", "system/hostname=other").status == 0)
            let kernel = try await board.cleat("set", "network/interfaces/cleat1/mtu=1400")
            #expect(kernel.status == 0, "\(kernel)")
            #expect(try await space.script("ip -o link show cleat1").output.contains("mtu 1400"))
            // The file of the former service is released.
            #expect(try await board.cleat("unset", "network/interfaces/cleat0/privacy").status == 0)
            #expect(try await board.cleat("reapply", "--all").status == 0)
            #expect(try await agent.findings().isEmpty)
            #expect(try await space.script("find /etc/NetworkManager -type f 2>/dev/null || true").output == "")
        }
    }

    @Test(
        "Settings made under another service are not applied at a boot but reported; reapply --confirm applies them",
        .enabled(if: !IfupdownPrograms.all.isEmpty, "needs ifupdown or BusyBox's ifup"))
    func anotherService() async throws {
        let programs = try #require(IfupdownPrograms.all.first)
        try await Board.with { board in
            let space = try await board.makeNamespace(
                Self.preparation + "\nmkdir -p /run/network\n" + RealServices.appear + programs.appearance)
            var options = space.options
            options.isRooted = false
            let file = "/etc/network/interfaces.d/cleat-cleat0"
            let look = """
                ls /etc/network/interfaces.d
                ip -o -4 address show dev cleat0 | grep -o 'inet [^ ]*' || true
                """
            func run(_ words: String..., status: Int32 = 0) async throws -> Board.Finished {
                let done = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(done.status == status, "\(words): \(done)")
                return done
            }
            var agent = try await board.start(options)
            _ = try await run("set", #"network/interfaces/cleat0/addresses=["192.0.2.5/24"]"#)
            #expect(try await space.script("ip -o -4 address show dev cleat0").output.contains("192.0.2.5/24"))

            // Another service is installed.
            try await space.script(
                """
                mkdir -p /etc/network/interfaces.d
                for part in pre-up up down post-down; do mkdir -p /etc/network/if-$part.d; done
                echo 'source-directory /etc/network/interfaces.d' >/etc/network/interfaces
                """)
            // What is reported is so also after the next boot, and the one after that.
            for boot in 1...3 {
                let log = try await agent.stop().outputText
                #expect(log.contains("\(file) is not applied: its settings") == (boot > 1), "\(log)")
                try SystemCalls.remove(board.runtime + "/applied")
                try await space.script("ip address flush dev cleat0; ip link set cleat0 down")
                agent = try await board.start(options)
                #expect(try await space.script(look).output == "")
                let drift = try await agent.call(SystemInterface.Drift.self, .init()).drift
                #expect(drift.map(\.name) == [file] && drift.first?.state == .notApplied, "\(drift)")
                #expect(
                    drift.first?.message.contains("ifupdown")
                        == true, "\(drift)")
                let doctor = try await run("doctor", status: 1)
                #expect(doctor.output.contains("cleat reapply --confirm 2m \(file)"), "\(doctor)")
            }

            // It stays unchanged until it is requested by its name, or on trial; another change does not include it.
            try await space.script("ip link set cleat0 up; ip address add 203.0.113.7/24 dev cleat0")
            let theirs = "inet 203.0.113.7/24\n"
            _ = try await run("reapply", "--all", status: 1)
            #expect(try await space.script(look).output == theirs)
            let refused = try await run("set", "network/interfaces/cleat0/mtu=1400", status: 65)
            #expect(refused.errorText.contains("cleat0"), "\(refused)")

            _ = try await run("reapply", "--confirm", "5m", "--id", "r1", file)
            #expect(try await space.script(look).output == "cleat-cleat0\ninet 192.0.2.5/24\n")
            _ = try await run("abort", "r1")
            #expect(try await space.script(look).output == theirs)
            #expect(try await agent.call(SystemInterface.Drift.self, .init()).drift.map(\.name) == [file])
            _ = try await run("reapply", "--confirm", "5m", "--id", "r2", file)
            _ = try await run("confirm", "r2")
            #expect(try await space.script(look).output == "cleat-cleat0\ninet 192.0.2.5/24\n")
            #expect(try await agent.findings().isEmpty)
            try await agent.stop()
            try SystemCalls.remove(board.runtime + "/applied")
            agent = try await board.start(options)
            #expect(try await agent.findings().isEmpty)
            #expect(try await space.script(look).output == "cleat-cleat0\ninet 192.0.2.5/24\n")
            _ = try await run("set", "network/interfaces/cleat0/gateway=192.0.2.1")
            #expect(try await space.script("ip route show dev cleat0").output.contains("default via 192.0.2.1"))
            try await agent.stop()
        }
    }
}
