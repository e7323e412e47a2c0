import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Bridges that the real service makes by rtnetlink, as ip(8) sees them; VLANs and bonds need modules that not every
/// kernel has, and are tested on the board.
@Suite("Bridges by rtnetlink, end to end", .serialized, .enabled(if: Machine.hasVeth, Machine.vethReason))
struct VirtualLinkTests {
    static let path = "network/interfaces/br0"
    /// The bridge, its addresses and its ports.
    static let look = """
        if test -e /sys/class/net/br0; then
            echo stp $(cat /sys/class/net/br0/bridge/stp_state)
            ip -o link show dev br0 | grep -o '[<,]UP[,>]' || true
            ip -o address show dev br0 scope global | grep -o 'inet [^ ]*' || true
            ls /sys/class/net/br0/brif
        fi
        """
    static let whole = "stp 0\n,UP,\ninet 203.0.113.5/24\ncleat0\n"

    /// Runs one command of the client.
    static func run(_ board: Board, _ words: String..., status: Int32 = 0) async throws -> Board.Finished {
        let done = try await board.script(#"exec "$CLEAT" "$@""#, words)
        #expect(done.status == status, "\(words): \(done)")
        return done
    }

    /// Makes a bridge of `cleat0` by a network service, changes it on trial, and unsets it.
    ///
    /// With `mends` the service itself makes a bridge again that others have removed.
    static func follow(_ board: Board, _ space: PrivateNamespace, mends: Bool) async throws {
        let whole = whole + "203.0.113.0/24 proto kernel\n"
        let look = look + "\nip route show dev br0 2>/dev/null | cut -d ' ' -f 1-3 || true"
        _ = try await run(
            board, "set", "\(path)/bridge/ports=[\"cleat0\"]", "\(path)/addresses=[\"203.0.113.5/24\"]")
        #expect(try await space.script(look).output == whole)
        #expect(try await space.script("ip -o address show dev cleat0 scope global").output == "")
        #expect(try await board.cleat("drift").status == 0)

        let trial = try await run(
            board, "set", "\(path)/bridge/stp=true", "\(path)/addresses=[\"192.0.2.1/24\"]", "--confirm", "5m", "--id",
            "t1")
        #expect(
            try await space.script("cat /sys/class/net/br0/bridge/stp_state").output == "1\n", "\(trial)")
        _ = try await run(board, "abort", "t1")
        try await board.eventually(space, look, prints: whole)

        // The services connect a port again that others have removed, sooner or later.
        try await space.script("ip link set cleat0 nomaster")
        _ = try await run(board, "reapply", "--all")
        try await board.eventually(space, look, prints: whole)
        if !mends {
            try await space.script("ip link del br0")
            let removed = try await run(board, "drift", status: 1)
            #expect(removed.output.contains("br0 does not exist"), "\(removed)")
            _ = try await run(board, "reapply", "--all")
        }
        try await board.eventually(space, look, prints: whole)
        _ = try await run(board, "unset", path)
        try await board.eventually(space, look, prints: "")
    }

    @Test("A bridge takes over the address of its port, waits for another port, and is gone once it is unset")
    func bridge() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(InterfaceTests.preparation)
            func look() async throws -> String { try await space.script(Self.look).output }
            let before = try await space.script(InterfaceTests.look("cleat0")).output
            var agent = try await board.start(InterfaceTests.options(space))

            let plan = try await Self.run(
                board, "plan", "\(Self.path)/bridge/ports=[\"cleat0\"]", "\(Self.path)/addresses=[\"203.0.113.5/24\"]")
            #expect(plan.output.contains("bridge stp=off of cleat0"), "\(plan)")
            let set = try await Self.run(
                board, "set", "\(Self.path)/bridge/ports=[\"cleat0\",\"cleat9\"]",
                "\(Self.path)/addresses=[\"203.0.113.5/24\"]")
            #expect((set.output + set.errorText).contains("cleat9: it does not exist"), "\(set)")
            #expect(try await look() == Self.whole)
            #expect(try await space.script("ip -o address show dev cleat0 scope global").output == "")

            let live = try await Self.run(board, "get", "--live", "\(Self.path)/bridge/ports")
            #expect(live.output.contains("[\"cleat0\"]"), "\(live)")
            let status = try await Self.run(board, "status", "network")
            // The port is configured with its bridge; its peer is not.
            let rows = status.lines.map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
            #expect(rows.contains("br0 kernel Cleat") && rows.contains("cleat0 kernel Cleat"), "\(status)")
            #expect(rows.contains("cleat1 - -"), "\(status)")

            // A port that appears later is added then.
            try await space.script("ip link add cleat9 type veth peer name cleat8; ip link set cleat8 up")
            try await board.eventually(space, Self.look, prints: Self.whole + "cleat9\n")
            #expect(try await board.cleat("drift").status == 0)

            for isKilled in [false, true] {
                let id = "t\(isKilled)"
                _ = try await Self.run(
                    board, "set", "\(Self.path)/bridge/ports=[\"cleat9\"]", "\(Self.path)/bridge/stp=true", "--confirm",
                    "5m", "--id", id)
                #expect(try await look() == "stp 1\n,UP,\ninet 203.0.113.5/24\ncleat9\n")
                if isKilled {
                    #expect(try await board.cleat("extend", "1s", id).status == 0)
                    try await agent.stop(.kill)
                    agent = try await board.start(InterfaceTests.options(space))
                    let running = agent
                    try await board.eventually("it was undone") { try await running.status().trial == nil }
                } else {
                    _ = try await Self.run(board, "abort", id)
                }
                #expect(try await look() == Self.whole + "cleat9\n", "\(isKilled)")
                #expect(try await space.script("ip -o address show dev cleat0 scope global").output == "")
            }

            // What others change of it, or its removal, is drift.
            for edit in ["ip link set cleat0 nomaster", "ip link del br0"] {
                try await space.script(edit)
                let drift = try await Self.run(board, "drift", status: 1)
                let words =
                    edit.contains("del") ? "virtual interface br0 does not exist" : "has bridge/ports=[\"cleat9\"]"
                #expect(drift.output.contains(words), "\(drift)")
                _ = try await Self.run(board, "reapply", "--all")
                try await board.eventually(space, Self.look, prints: Self.whole + "cleat9\n")
            }

            // An edit of the link is kept by adopt: here the port is released with its former addresses. A port that is
            // not there now stays set.
            _ = try await Self.run(board, "set", "\(Self.path)/bridge/ports=[\"cleat0\",\"cleat5\",\"cleat9\"]")
            try await space.script("ip link set br0 type bridge stp_state 1; ip link set cleat0 nomaster")
            _ = try await Self.run(board, "adopt", "virtual-link:br0")
            #expect(try await Self.run(board, "get", "\(Self.path)/bridge/stp").output == "true\n")
            #expect(try await Self.run(board, "get", "\(Self.path)/bridge/ports").output == "[\"cleat5\",\"cleat9\"]\n")
            #expect(try await look() == "stp 1\n,UP,\ninet 203.0.113.5/24\ncleat9\n")
            #expect(try await board.cleat("drift").status == 0)

            _ = try await Self.run(board, "unset", Self.path)
            #expect(try await look() == "")
            #expect(try await space.script(InterfaceTests.look("cleat0")).output == before)
            #expect(try await board.cleat("drift").status == 0)
        }
    }

    @Test("The bridge gets the route of its port, loses what is unset, and is a bridge with its ports while it is off")
    func routes() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                InterfaceTests.preparation + "\nip route add default via 203.0.113.1")
            let before = try await space.script(InterfaceTests.look("cleat0")).output
            _ = try await board.start(InterfaceTests.options(space))
            _ = try await Self.run(
                board, "set", "\(Self.path)/bridge/ports=[\"cleat0\"]", "\(Self.path)/addresses=[\"203.0.113.5/24\"]",
                "\(Self.path)/gateway=203.0.113.1", "\(Self.path)/mtu=1400", "\(Self.path)/routes=[]")
            #expect(try await space.script("ip route show default").output.contains("203.0.113.1 dev br0"))
            #expect(try await space.script("cat /sys/class/net/br0/mtu").output == "1400\n")
            _ = try await Self.run(board, "unset", "\(Self.path)/gateway", "\(Self.path)/mtu", "\(Self.path)/addresses")
            #expect(try await look(space) == "stp 0\n,UP,\ncleat0\n")
            #expect(try await space.script("ip route show default; cat /sys/class/net/br0/mtu").output == "1500\n")
            _ = try await Self.run(board, "set", "\(Self.path)/enabled=false")
            #expect(try await look(space) == "stp 0\ncleat0\n")
            #expect(try await space.script("ip -o -4 address show dev cleat0").output == "")
            let refused = try await Self.run(
                board, "set", "network/interfaces/br1/bridge/ports=[\"cleat0\"]", status: 65)
            #expect(refused.errorText.contains("a port of br0 and of br1"), "\(refused)")
            _ = try await Self.run(board, "unset", Self.path)
            #expect(try await space.script(InterfaceTests.look("cleat0")).output == before)
        }
    }

    private func look(_ space: PrivateNamespace) async throws -> String { try await space.script(Self.look).output }

    @Test("A change of the caller's bridge, or of its port, ends the connection as far as a plan can say")
    func guarded() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(InterfaceTests.preparation)
            _ = try await board.start(InterfaceTests.options(space))
            let session = "SSH_CONNECTION='203.0.113.77 50000 203.0.113.5 22' exec \"$CLEAT\" \"$@\""
            func plan(_ words: String...) async throws -> String {
                try await board.script(session, ["plan"] + words).output
            }
            let port = try await plan("\(Self.path)/bridge/ports=[\"cleat0\"]")
            #expect(port.contains("whose VLAN, bridge or bond changes"), "\(port)")
            _ = try await Self.run(
                board, "set", "\(Self.path)/bridge/ports=[\"cleat0\"]", "\(Self.path)/addresses=[\"203.0.113.5/24\"]")
            let empty = try await plan("\(Self.path)/bridge/ports=[]")
            #expect(empty.contains("whose VLAN, bridge or bond changes"), "\(empty)")
            let other = try await plan("network/interfaces/br1/bridge/ports=[\"cleat1\"]")
            #expect(!other.contains("bridge or bond changes"), "\(other)")
        }
    }

    @Test("Settings that make no virtual interface are refused by name, and change nothing")
    func refused() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                InterfaceTests.preparation + """

                    ip link add brx type bridge
                    ip link add cleat7 type veth peer name cleat8
                    ip link set cleat7 master brx
                    """)
            let agent = try await board.start(InterfaceTests.options(space))
            let cases: [([String], String)] = [
                (["br0/bridge/ports=[\"br0\"]"], "a part of itself"),
                (["br0/bridge/ports=[\"cleat0\"]", "cleat0/addresses=[\"192.0.2.1/24\"]"], "cleat0 is a port of br0"),
                (["br0/bridge/ports=[\"cleat0\"]", "br1/bridge/ports=[\"cleat0\"]"], "a port of br0 and of br1"),
                (["br0/bridge/stp=true", "br0/bond/mode=active-backup"], "cannot be a bond and a bridge"),
                (["eth5.7/vlan/id=7"], "set vlan/id and vlan/parent"),
                (["eth5.7/vlan/id=7", "eth5.7/vlan/parent=eth5", "eth5/enabled=false"], "the VLAN eth5.7 is on eth5"),
                (["cleat0/bridge/ports=[]"], "is there and not made by Cleat"),
                (["brx/bridge/stp=true"], "is there (bridge stp=off of cleat7) and not made by Cleat"),
                (["br0/bridge/ports=[\"cleat7\"]"], "whose port cleat7 is one of brx"),
                (
                    ["br0/bridge/ports=[\"br1\"]", "br1/bridge/ports=[\"cleat0\"]"],
                    "cannot be a port of the bridge br0"
                ),
                (["eth5.7/vlan/id=7", "eth5.7/vlan/parent=eth5.7"], "a part of itself"),
                (["a/bond/ports=[\"b\"]", "b/vlan/id=3", "b/vlan/parent=a"], "a part of itself"),
                (["br0/bridge/ports=[\"lo\"]"], "br0/bridge/ports"), (["eth5.7/vlan/id=4095"], "vlan/id"),
            ]
            for (words, reason) in cases {
                let arguments = words.map { "network/interfaces/\($0)" }
                let done = try await board.script(#"exec "$CLEAT" set "$@""#, arguments)
                #expect(done.status != 0 && done.errorText.contains(reason), "\(words): \(done)")
            }
            #expect(try await agent.status().generation == 0)
            let found = try await Self.run(board, "init", "--dry-run")
            #expect(
                (found.output + found.errorText).contains(
                    "brx (bridge stp=off of cleat7), which another program makes"),
                "\(found)")
            #expect(try await space.script("ls /sys/class/net").output == "brx\ncleat0\ncleat1\ncleat7\ncleat8\nlo\n")
        }
    }
}
