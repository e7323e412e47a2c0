import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Access to the socket", .tags(.board), .enabled(if: Machine.isRoot, Machine.rootReason))
struct AccessBoundaryTests {
    private static let change = #"{"changes":[{"path":"system/hostname","value":"x"}]}"#

    @Test("A socket that all users can open refuses strangers: every call is decided by the peer's user")
    func strangers() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await board.admitStrangers()
            // As it stands, the socket itself keeps strangers out.
            let closed = try await board.script(
                Board.client, [board.socket, "{}"], user: ChildCommand.User.stranger)
            #expect(closed.status == 77, "\(closed)")

            try SystemCalls.changeMode(board.socket, 0o666)
            for (method, parameters) in [
                ("dev.cleat.Settings.Get", #"{"path":"system/hostname"}"#), ("dev.cleat.Settings.Set", Self.change),
                ("dev.cleat.Service.Status", "{}"), ("dev.cleat.Hooks.Test", #"{"name":"x"}"#),
                ("dev.cleat.Events.Links", "{}"), ("dev.cleat.Files.Areas", "{}"),
                ("dev.cleat.Files.Read", #"{"area":"documents","path":"x","offset":0}"#),
                ("dev.cleat.Files.Abort", #"{"id":"x"}"#),
                ("dev.cleat.Files.Append", #"{"area":"documents","path":"x","offset":0,"data":""}"#),
                ("dev.cleat.Files.SetMode", #"{"area":"documents","path":"x","mode":"0600"}"#),
                ("dev.cleat.Files.Stat", #"{"area":"documents","path":""}"#),
            ] {
                let answer = try await board.call(method, parameters, as: ChildCommand.User.stranger)
                #expect(answer["error"] == "dev.cleat.Service.PermissionDenied", "\(method): \(answer)")
                #expect(answer["parameters"]?.objectValue?["message"]?.stringValue?.contains("65534") == true)
            }
            // Membership in root's group is not enough; being root is, whatever the group.
            let wheel = ChildCommand.User(uid: 65_534, gid: 0, groups: [0])
            #expect(
                try await board.call("dev.cleat.Settings.Set", Self.change, as: wheel)["error"]
                    == "dev.cleat.Service.PermissionDenied")
            #expect(try await agent.status().generation == 0)
            let root = ChildCommand.User(uid: 0, gid: 65_534)
            #expect(try await board.call("dev.cleat.Settings.Set", Self.change, as: root)["error"] == nil)
            #expect(try await agent.status().generation == 1)
        }
    }

    @Test(
        "Members of group cleat read and set, and run nothing; the socket belongs to the group",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func members() async throws {
        try await Board.with { board in
            try board.write(hook: "hook", #"{ match: { source: "agent" }, run: ["/bin/true"] }"#)
            let agent = try await board.start(try await board.makeGroup().options)
            try await board.admitStrangers()
            let mode = try await board.script("stat -c '%a %u %g' $CLEAT_SOCKET")
            #expect(mode.output == "660 0 61234\n")
            for member in [
                ChildCommand.User(uid: 65_534, gid: 61_234), .init(uid: 65_534, gid: 65_534, groups: [61_234]),
            ] {
                let changed = try await board.call("dev.cleat.Settings.Set", Self.change, as: member)
                #expect(changed["error"] == nil, "\(changed)")
                let read = try await board.call(
                    "dev.cleat.Settings.Get", #"{"path":"system/hostname"}"#, as: member)
                #expect(read["error"] == nil, "\(read)")
                let made = try await board.call(
                    "dev.cleat.Files.MakeDirectory", #"{"area":"documents","path":"m","parents":true}"#,
                    as: member)
                #expect(made["error"] == nil, "\(made)")
                for (method, more) in [("Append", #""data":"","offset":0"#), ("SetMode", #""mode":"0600""#)] {
                    let answer = try await board.call(
                        "dev.cleat.Files.\(method)", #"{"area":"documents","path":"m/log",\#(more)}"#, as: member)
                    #expect(answer["error"] == nil, "\(answer)")
                }
                let run = try await board.call("dev.cleat.Hooks.Run", #"{"name":"hook"}"#, as: member)
                #expect(run["error"] == "dev.cleat.Service.PermissionDenied", "\(run)")
            }
            let author = try await agent.call(SettingsInterface.Log.self, .init(limit: 1)).generations.first?.author
            #expect(author == "nobody" || author == "65534")
        }
    }

    @Test(
        "An upload belongs to its sender: no other user writes to it, commits it or blocks it; root may abort it",
        .tags(.fault), .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func uploads() async throws {
        try await Board.with { board in
            let agent = try await board.start(try await board.makeGroup().options)
            try await board.admitStrangers()
            let op = ChildCommand.User(uid: 65_534, gid: 61_234)
            func call(_ method: String, _ parameters: String) async throws -> JSONObject {
                try await board.call("dev.cleat.Files." + method, parameters, as: op)
            }
            let (abc, xyz) = (SHA256.hexadecimal(of: "abc".utf8), SHA256.hexadecimal(of: "xyz".utf8))
            let asked = #"{"id":"x","area":"documents","path":"f","size":3,"sha256":"\#(abc)"}"#
            let begun = try await call("Begin", asked)
            #expect(begun["parameters"]?.objectValue?["offset"] == 0, "\(begun)")
            for (method, more) in [("Write", #","offset":0,"data":"eHl6""#), ("Commit", "")] {
                let answer = try await board.call(
                    "dev.cleat.Files." + method, #"{"id":"x"\#(more)}"#, as: .init(uid: 0, gid: 0))
                #expect(answer["error"] == "dev.cleat.Files.UnknownUpload", "\(method): \(answer)")
            }
            // The same id is another one in another's hands.
            let own = try await agent.call(
                FilesInterface.Begin.self, .init(id: "x", area: "documents", path: "g", size: 3, sha256: xyz))
            #expect(own.offset == 0)
            let users = try await agent.call(FilesInterface.Uploads.self, .init()).uploads.map(\.user)
            #expect(users.sorted() == [0, 65_534])
            _ = try await call("Write", #"{"id":"x","offset":0,"data":"eHl6"}"#)
            let mixed = try await call("Commit", #"{"id":"x"}"#)
            #expect(mixed["error"] == "dev.cleat.Files.HashMismatch", "\(mixed)")
            #expect(mixed["parameters"]?.objectValue?["expected"] == .string(abc), "\(mixed)")
            #expect(mixed["parameters"]?.objectValue?["found"] == .string(xyz), "\(mixed)")
            let refused = try await call("Abort", #"{"id":"x"}"#)
            #expect(refused["error"] == "dev.cleat.Files.UnknownUpload", "\(refused)")
            _ = try await agent.call(FilesInterface.Abort.self, .init(id: "x"))
            _ = try await call("Begin", asked)
            // Root's own is gone, and that of another one is none of it.
            let own2 = try await agent.fileError("Abort", ["id": "x"])
            #expect(own2.kind == .unknownUpload, "\(own2)")
            let denied = try await call("Abort", #"{"id":"x","user":0}"#)
            #expect(denied["error"] == "dev.cleat.Service.PermissionDenied", "\(denied)")
            _ = try await agent.call(FilesInterface.Abort.self, .init(id: "x", user: 65_534))
            #expect(try await agent.call(FilesInterface.Uploads.self, .init()).uploads.isEmpty)
        }
    }

    @Test(
        "The agent's own settings and others' snapshots are for root, in every method; a file in the inbox is its sender's",
        .tags(.fault, .anyMachine), .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func ownSettings() async throws {
        try await Board.with { board in
            let agent = try await board.start(try await board.makeGroup().options)
            try await board.admitStrangers()
            func member(_ method: String, _ parameters: String) async throws -> JSONObject {
                try await board.call("dev.cleat.\(method)", parameters, as: ChildCommand.User.member)
            }
            try await agent.set(["agent/log/level": "debug", "system/hostname": "one"])
            let root = ChildCommand.User(uid: 0, gid: 0)
            _ = try await board.call("dev.cleat.Snapshots.Create", #"{"name":"roots"}"#, as: root)
            let generation = try await agent.status().generation
            for (method, parameters) in [
                ("Settings.Set", #"{"changes":[{"path":"agent/history/generations","value":1}]}"#),
                ("Settings.Set", #"{"changes":[{"path":"agent/log/level","value":"critical"}],"volatile":true}"#),
                ("Settings.Set", #"{"changes":[{"path":"agent/log/level","value":null}],"check":true}"#),
                (
                    "Settings.Set",
                    #"{"changes":[{"path":"system/hostname","value":"x"},{"path":"agent/log/level","value":"error"}]}"#
                ),
                ("Settings.Set", #"{"changes":[{"path":"kernel/sysctl/kernel.dmesg_restrict","value":0}]}"#),
                (
                    "Settings.Set",
                    #"{"changes":[{"path":"kernel/sysctl/kernel~1dmesg_restrict","value":0}],"check":true}"#
                ),
                ("Settings.Reset", "{}"), ("Settings.Reset", #"{"prefix":"agent"}"#),
                ("Settings.Rollback", #"{"to":0}"#),
                ("Snapshots.Delete", #"{"name":"roots"}"#),
                ("Files.Copy", #"{"area":"documents","path":"a","to_area":"inbox","to_path":"b"}"#),
                ("Files.Move", #"{"area":"documents","path":"a","to_area":"inbox","to_path":"b"}"#),
                ("Files.Append", #"{"area":"inbox","path":"b","offset":0,"data":"eA=="}"#),
                ("Files.SetMode", #"{"area":"inbox","path":"b","mode":"0666"}"#),
            ] {
                let answer = try await member(method, parameters)
                #expect(answer["error"] == "dev.cleat.Service.PermissionDenied", "\(method) \(parameters): \(answer)")
            }
            #expect(try await agent.status().generation == generation)
            let network = try await member(
                "Settings.Set", #"{"changes":[{"path":"kernel/sysctl/net.ipv4.ip_forward","value":1}],"check":true}"#)
            #expect(network["error"] == nil, "\(network)")
            // What is a member's own stays so, and other settings are open to members.
            #expect(try await member("Snapshots.Create", #"{"name":"own"}"#)["error"] == nil)
            #expect(try await member("Snapshots.Delete", #"{"name":"own"}"#)["error"] == nil)
            #expect(try await member("Settings.Reset", #"{"prefix":"system"}"#)["error"] == nil)

            let hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
            for (method, parameters) in [
                ("Begin", #"{"id":"u","area":"inbox","path":"x","size":1,"sha256":"\#(hash)"}"#),
                ("Write", #"{"id":"u","offset":0,"data":"eA=="}"#), ("Commit", #"{"id":"u"}"#),
            ] {
                let answer = try await member("Files.\(method)", parameters)
                #expect(answer["error"] == nil, "\(method): \(answer)")
            }
            #expect(try await board.script("stat -c %u $D/state/files/inbox/x").output == "65534\n")
            #expect(try await agent.get("agent/log/level") == "debug")
            let log = try await agent.stop().outputText
            #expect(log.split(separator: "\n").contains { $0.hasPrefix("NOTICE") && $0.contains(" debug ") }, "\(log)")
        }
    }

    @Test(
        "A member's idle connections block neither root nor other members, and are closed", .tags(.fault, .anyMachine),
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func lockout() async throws {
        try await Board.with { board in
            let agent = try await board.start(try await board.makeGroup().options)
            try await board.admitStrangers()
            // Each relay holds a connection until the service closes it.
            let idle = board.loop.task {
                try await board.script(
                    """
                    for number in $(seq 70); do
                        sleep 300 | "$D/relay" connect --socket "$1" >/dev/null 2>&1 &
                    done
                    wait
                    """, [board.socket], user: ChildCommand.User.member)
            }
            try await board.eventually("a member had all the connections that it may have") {
                try await agent.counter("connections.refused") >= 16
            }
            // Those of this test are root's, and few.
            #expect(try await agent.status().connections < 16 + 8)
            #expect(try await agent.get("system/hostname") == nil)
            let other = ChildCommand.User(uid: 65_533, gid: 61_234)
            let answer = try await board.call(
                "dev.cleat.Settings.Get", #"{"path":"system/hostname"}"#, as: other)
            #expect(answer["error"] == nil, "\(answer)")
            // No call within ten seconds ends a connection.
            try await board.eventually("the idle connections were closed") {
                try await agent.counter("connections.stalled") >= 16
            }
            try await board.eventually("none of them was left") { try await agent.status().connections == 1 }
            idle.cancel()
            _ = await idle.result
        }
    }

    @Test(
        "Members of group cleat get no secret: a request for one is denied by name, and other replies omit it",
        .tags(.anyMachine), .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func secrets() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(
                vendor: "schema.d/wifi.json",
                #"{ "type": "object", "properties": { "wifi": { "type": "object", "properties": { "password": { "type": "string", "writeOnly": true } } } } }"#
            )
            let agent = try await board.start(try await board.makeGroup().options)
            try await board.admitStrangers()
            try await agent.set(["wifi/password": "only-for-root"])
            let root = ChildCommand.User(uid: 0, gid: 0)
            for (method, parameters) in [
                ("Get", #""path":"wifi/password""#), ("Get", #""path":"wifi""#), ("List", #""prefix":"wifi""#),
                ("Why", #""path":"wifi/password""#), ("Why", #""path":"wifi""#),
            ] {
                let asked = "{\(parameters),\"reveal\":true}"
                let denied = try await board.call("dev.cleat.Settings.\(method)", asked, as: ChildCommand.User.member)
                #expect(denied["error"] == "dev.cleat.Service.PermissionDenied", "\(method): \(denied)")
                let message = denied["parameters"]?.objectValue?["message"]?.stringValue ?? ""
                #expect(
                    message.contains("65534"), "\(message)")
                #expect(!JSONValue.object(denied).canonicalText.contains("only-for-root"))

                for words in ["{\(parameters)}", "{\(parameters),\"reveal\":false}"] {
                    let spared = try await board.call(
                        "dev.cleat.Settings.\(method)", words, as: ChildCommand.User.member)
                    #expect(spared["error"] == nil, "\(method): \(spared)")
                    let text = JSONValue.object(spared).canonicalText
                    #expect(text.contains("wifi") && !text.contains("only-for-root"), "\(text)")
                }
                let shown = try await board.call("dev.cleat.Settings.\(method)", asked, as: root)
                #expect(JSONValue.object(shown).canonicalText.contains("only-for-root"), "\(method): \(shown)")
            }
            let one = try await board.call(
                "dev.cleat.Settings.Get", #"{"path":"wifi/password"}"#, as: ChildCommand.User.member)
            let setting = one["parameters"]?.objectValue?["setting"]?.objectValue
            #expect(setting?["secret"] == true && setting?["value"] == nil && setting?["in_force"] == true, "\(one)")
        }
    }
}
