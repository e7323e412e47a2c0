import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Tests of values in the system next to the settings, on the real kernel.
@Suite("The system's own values", .serialized, .enabled(if: Machine.hasVeth, Machine.vethReason))
struct LiveTests {
    private static let preparation =
        UnmanagedTests.preparation + """

            ln -sf ../usr/share/zoneinfo/Etc/UTC /etc/localtime
            mount -o remount,bind,rw /proc/sys
            ip link add cleat0 type veth peer name cleat1
            ip link set cleat1 up
            ip link set cleat0 up
            ip address add 192.0.2.5/24 dev cleat0
            ip address add 2001:db8::5/64 dev cleat0 nodad
            ip route add default via 192.0.2.1 dev cleat0 metric 50
            ip route add default via 192.0.2.2 dev cleat0 metric 20
            ip route add 10.9.0.0/16 via 192.0.2.9 dev cleat0
            """
    private static let path = "network/interfaces/cleat0"

    @Test("Values are read whether settings are unset, set, or overwritten outside, and a missing one is an error")
    func values() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            func run(_ words: String..., status: Int32 = 0) async throws -> String {
                let done = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(done.status == status, "\(words): \(done)")
                return done.output + done.errorText
            }
            let expected: [(String, String)] = [
                ("\(Self.path)/mtu", "1500"), ("\(Self.path)/enabled", "true"), ("\(Self.path)/dhcp", "false"),
                ("\(Self.path)/addresses", #"["192.0.2.5/24","2001:db8::5/64"]"#),
                ("\(Self.path)/gateway", "192.0.2.2"),
                (
                    "\(Self.path)/routes",
                    #"[{"destination":"10.9.0.0/16","gateway":"192.0.2.9"},"#
                        + #"{"destination":"0.0.0.0/0","gateway":"192.0.2.1","metric":50}]"#
                ),
                ("system/hostname", "was-here"), ("system/timezone", "Etc/UTC"),
                ("kernel/sysctl/net.ipv4.ip_forward", "0"),
                ("kernel/attributes/class~1net~1cleat0~1tx_queue_len", "1000"),
            ]
            for (path, value) in expected {
                let live = try await run("get", "--live", path)
                if path.hasSuffix("routes") {
                    // The kernel's order is its own.
                    let routes = try JSONReader.read(live, dialect: .json).arrayValue ?? []
                    let wanted = try JSONReader.read(value, dialect: .json).arrayValue ?? []
                    #expect(Set(routes) == Set(wanted), "\(live)")
                } else {
                    #expect(live == value + "\n", "\(path)")
                }
            }
            for path in ["network/interfaces/none0/mtu", "\(Self.path)/dns", "kernel/sysctl/net.nothing", "leds/none"] {
                #expect(try await run("get", "--live", path, status: 1).contains("the system has no value"), "\(path)")
            }
            #expect(try await run("get", "--live", "system/hostnam", status: 65).contains("system/hostname"))
            #expect(try await run("get", "--live", "--reveal", "system/hostname", status: 64).contains("--live"))

            // Nothing is set: the whole network is listed, without the loopback and without what is set by name only.
            let list = try await run("list", "--live")
            #expect(list.contains("\(Self.path)/mtu") && list.contains("network/interfaces/cleat1/mtu"), "\(list)")
            #expect(!list.contains("interfaces/lo/") && !list.contains("kernel/"), "\(list)")
            #expect(list.split(separator: "\n").dropFirst().allSatisfy { $0.hasSuffix("(unset)") }, "\(list)")
            #expect(try await run("why", "\(Self.path)/mtu").contains("the system has 1500"))

            // The resolver's file names no interfaces: what is set is compared with it.
            _ = try await run("set", #"\#(Self.path)/dns=["192.0.2.53","192.0.2.54"]"#)
            try await space.script("echo nameserver 192.0.2.54 >/etc/resolv.conf")
            #expect(try await run("get", "--live", "\(Self.path)/dns") == "[\"192.0.2.54\"]\n")
            _ = try await run("reapply", "--all")
            _ = try await run("unset", "\(Self.path)/dns")
            _ = try await run("set", "\(Self.path)/mtu=1400", "kernel/sysctl/net.ipv4.ip_forward=1")
            try await space.script("ip link set cleat0 mtu 1300")
            let lines = try await run("list", "--live", "--output", "json-lines").split(separator: "\n")
            let values = try lines.map { try JSONReader.read(String($0), dialect: .json) }
            let mtu = try #require(values.first { $0["path"] == .string("\(Self.path)/mtu") })
            #expect(mtu["live"] == 1300 && mtu["value"] == 1400, "\(mtu)")
            let forward = try #require(values.first { $0["path"] == "kernel/sysctl/net.ipv4.ip_forward" })
            #expect(forward["live"] == 1 && forward["value"] == 1 && forward["adapter"] == "sysctl", "\(forward)")
            let why = try await run("why", "\(Self.path)/mtu")
            #expect(why.contains("\(Self.path)/mtu = 1400") && why.contains("the system has 1300"), "\(why)")
            #expect(try await run("why", "--output", "json", "\(Self.path)/mtu").contains(#""live""#))
            #expect(!(try await run("why", Self.path)).contains("the system has"))

            // What only root may read is omitted, for root too.
            let secret = try await run("get", "--live", "kernel/sysctl/net.ipv4.tcp_fastopen_key", status: 1)
            #expect(secret.contains("the system has no value"), "\(secret)")
            try await agent.stop()
        }
    }

    @Test("With --root the files are read, and nothing of the running kernel")
    func rooted() async throws {
        try await Board.with { board in
            try SystemCalls.makeDirectory(board.root + "/etc")
            _ = try await board.script("echo elsewhere >$D/root/etc/hostname")
            _ = try await board.start()
            #expect(try await board.cleat("get", "--live", "system/hostname").output == "elsewhere\n")
            let network = try await board.cleat("get", "--live", "network/interfaces/eth0/mtu")
            #expect(network.status == 1 && network.errorText.contains("the system has no value"), "\(network)")
            let all = try await board.cleat("list", "--live")
            #expect(all.output.split(separator: "\n").count == 2 && all.output.contains("elsewhere"), "\(all)")
        }
    }
}
