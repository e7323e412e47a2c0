import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Access to the socket", .tags(.board), .enabled(if: Machine.isRoot, Machine.rootReason))
struct AccessBoundaryTests {
    /// Sends one call and prints the answer, as a user who may not reach the build directory: by a copy of the relay.
    private static let client = #"printf '%s\0' "$2" | "$D/relay" connect --socket "$1" 2>&1"#

    /// Puts the relay where everyone can run it, and lets everyone come to the socket's own mode.
    private static func admitStrangers(_ board: Board) async throws {
        let copy = try await board.script(#"cp "$CLEATD" "$D/relay" && chmod 755 "$D/relay""#)
        try #require(copy.status == 0, "\(copy.complaints)")
        try SystemCalls.changeMode(board.directory.text, 0o711)
    }

    private static func call(
        _ board: Board, _ method: String, _ parameters: String, as user: ChildCommand.User
    ) async throws -> JSONObject {
        let result = try await board.script(
            client, [board.socket, #"{"method":"\#(method)","parameters":\#(parameters)}"#], user: user)
        try #require(result.status == 0 && result.output.hasSuffix("\0"), "\(result.output)")
        return try #require(JSONReader.read(String(result.output.dropLast())).objectValue)
    }

    /// Has group `cleat` exist in the mounts of one service only, in place of one that the machine may have.
    private static func makeGroup(on board: Board) async throws -> PrivateNamespace {
        try await board.makeNamespace(
            """
            { grep -v '^cleat:' /etc/group; echo cleat:x:61234:; } >$D/group
            mount --bind $D/group /etc/group
            """)
    }

    private static let member = ChildCommand.User(uid: 65_534, gid: 65_534, groups: [61_234])
    private static let stranger = ChildCommand.User(uid: 65_534, gid: 65_534)
    private static let change = #"{"changes":[{"path":"system/hostname","value":"x"}]}"#

    @Test("A socket that everyone can open is still closed to strangers: every call is decided by the peer's user")
    func strangers() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await Self.admitStrangers(board)
            // As it stands, the socket itself keeps strangers out.
            let closed = try await board.script(
                Self.client, [board.socket, "{}"], user: Self.stranger)
            #expect(closed.status == 77 && closed.output.contains("may not connect"), "\(closed)")

            try SystemCalls.changeMode(board.socket, 0o666)
            for (method, parameters) in [
                ("dev.cleat.Settings.Get", #"{"path":"system/hostname"}"#), ("dev.cleat.Settings.Set", Self.change),
                ("dev.cleat.Service.Status", "{}"), ("dev.cleat.Hooks.Test", #"{"name":"x"}"#),
                ("dev.cleat.Events.Links", "{}"), ("dev.cleat.Files.Areas", "{}"),
                ("dev.cleat.Files.Read", #"{"area":"documents","path":"x","offset":0}"#),
                ("dev.cleat.Files.Abort", #"{"id":"x"}"#),
            ] {
                let answer = try await Self.call(board, method, parameters, as: Self.stranger)
                #expect(answer["error"] == "dev.cleat.Service.PermissionDenied", "\(method): \(answer)")
                #expect(answer["parameters"]?.objectValue?["message"]?.stringValue?.contains("65534") == true)
            }
            // Membership in root's group is not enough; being root is, whatever the group.
            let wheel = ChildCommand.User(uid: 65_534, gid: 0, groups: [0])
            #expect(
                try await Self.call(board, "dev.cleat.Settings.Set", Self.change, as: wheel)["error"]
                    == "dev.cleat.Service.PermissionDenied")
            #expect(try await agent.status().generation == 0)
            let root = ChildCommand.User(uid: 0, gid: 65_534)
            #expect(try await Self.call(board, "dev.cleat.Settings.Set", Self.change, as: root)["error"] == nil)
            #expect(try await agent.status().generation == 1)
        }
    }

    @Test(
        "Members of group cleat read and set, and run nothing; the socket is theirs",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func members() async throws {
        try await Board.with { board in
            try board.write(hook: "hook", #"{ match: { source: "agent" }, run: ["/bin/true"] }"#)
            let agent = try await board.start(try await Self.makeGroup(on: board).options)
            try await Self.admitStrangers(board)
            let mode = try await board.script("stat -c '%a %u %g' $CLEAT_SOCKET")
            #expect(mode.output == "660 0 61234\n")
            for member in [
                ChildCommand.User(uid: 65_534, gid: 61_234), .init(uid: 65_534, gid: 65_534, groups: [61_234]),
            ] {
                let changed = try await Self.call(board, "dev.cleat.Settings.Set", Self.change, as: member)
                #expect(changed["error"] == nil, "\(changed)")
                let read = try await Self.call(
                    board, "dev.cleat.Settings.Get", #"{"path":"system/hostname"}"#, as: member)
                #expect(read["error"] == nil, "\(read)")
                let made = try await Self.call(
                    board, "dev.cleat.Files.MakeDirectory", #"{"area":"documents","path":"m","parents":true}"#,
                    as: member)
                #expect(made["error"] == nil, "\(made)")
                let run = try await Self.call(board, "dev.cleat.Hooks.Test", #"{"name":"hook"}"#, as: member)
                #expect(run["error"] == "dev.cleat.Service.PermissionDenied", "\(run)")
            }
            let author = try await agent.call(SettingsInterface.Log.self, .init(limit: 1)).generations.first?.author
            #expect(author == "nobody" || author == "65534")
        }
    }

    @Test(
        "A member's idle connections lock out neither root nor other members, and are closed", .tags(.fault),
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func lockout() async throws {
        try await Board.with { board in
            let agent = try await board.start(try await Self.makeGroup(on: board).options)
            try await Self.admitStrangers(board)
            // Each relay holds a connection until the service closes it.
            let idle = board.loop.task {
                try await board.script(
                    """
                    for number in $(seq 70); do
                        sleep 300 | "$D/relay" connect --socket "$1" >/dev/null 2>&1 &
                    done
                    wait
                    """, [board.socket], user: Self.member)
            }
            try await board.eventually("a member had all the connections that it may have") {
                try await agent.counter("connections.refused") >= 16
            }
            // Those of this test are root's, and few.
            #expect(try await agent.status().connections < 16 + 8)
            #expect(try await agent.get("system/hostname") == "board")
            let other = ChildCommand.User(uid: 65_533, gid: 61_234)
            let answer = try await Self.call(
                board, "dev.cleat.Settings.Get", #"{"path":"system/hostname"}"#, as: other)
            #expect(answer["error"] == nil, "\(answer)")
            // No call within ten seconds ends a connection.
            try await board.eventually("the idle connections were closed") {
                try await agent.counter("connections.stalled") >= 16
            }
            #expect(try await agent.status().connections == 1)
            idle.cancel()
            _ = await idle.result
        }
    }

    @Test(
        "Members of group cleat see no secret: they are denied it by name where they ask, and spared it where not",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func secrets() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(
                vendor: "schema.d/wifi.json",
                #"{ "type": "object", "properties": { "wifi": { "type": "object", "properties": { "password": { "type": "string", "writeOnly": true } } } } }"#
            )
            let agent = try await board.start(try await Self.makeGroup(on: board).options)
            try await Self.admitStrangers(board)
            try await agent.set(["wifi/password": "only-for-root"])
            let root = ChildCommand.User(uid: 0, gid: 0)
            for (method, parameters) in [
                ("Get", #""path":"wifi/password""#), ("Get", #""path":"wifi""#), ("List", #""prefix":"wifi""#),
                ("Why", #""path":"wifi/password""#), ("Why", #""path":"wifi""#),
            ] {
                let asked = "{\(parameters),\"reveal\":true}"
                let denied = try await Self.call(board, "dev.cleat.Settings.\(method)", asked, as: Self.member)
                #expect(denied["error"] == "dev.cleat.Service.PermissionDenied", "\(method): \(denied)")
                let message = denied["parameters"]?.objectValue?["message"]?.stringValue ?? ""
                #expect(
                    message.contains("65534") && message.contains("root and the service's own user may"), "\(message)")
                #expect(!JSONValue.object(denied).canonicalText.contains("only-for-root"))

                for words in ["{\(parameters)}", "{\(parameters),\"reveal\":false}"] {
                    let spared = try await Self.call(board, "dev.cleat.Settings.\(method)", words, as: Self.member)
                    #expect(spared["error"] == nil, "\(method): \(spared)")
                    let text = JSONValue.object(spared).canonicalText
                    #expect(text.contains("wifi") && !text.contains("only-for-root"), "\(text)")
                }
                let shown = try await Self.call(board, "dev.cleat.Settings.\(method)", asked, as: root)
                #expect(JSONValue.object(shown).canonicalText.contains("only-for-root"), "\(method): \(shown)")
            }
            let one = try await Self.call(
                board, "dev.cleat.Settings.Get", #"{"path":"wifi/password"}"#, as: Self.member)
            let setting = one["parameters"]?.objectValue?["setting"]?.objectValue
            #expect(setting?["secret"] == true && setting?["value"] == nil && setting?["in_force"] == true, "\(one)")
        }
    }
}
