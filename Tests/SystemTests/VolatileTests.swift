import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import Synchronization
import Testing

/// Tests of values until the next boot, and of values that move to another name with the next commit, with the real
/// programs.
@Suite("Volatile values and renames, end to end", .serialized)
struct VolatileEndToEndTests {
    private static let old = """
        { "type": "object", "properties": { "app": { "type": "object", "properties": {
          "speed": { "type": "integer", "minimum": 0, "default": 1 },
          "mode": { "type": "string", "default": "fast" } } } } }
        """
    private static let new = """
        { "type": "object", "properties": { "app": { "type": "object", "properties": {
          "rate": { "type": "integer", "minimum": 0, "default": 1, "x-cleat-renamed-from": "app/speed" },
          "style": { "type": "string", "default": "fast", "x-cleat-renamed-from": "app/mode" } } } } }
        """

    @Test("A volatile value outlives the service, makes no generation, and is known again by its id")
    func restart() async throws {
        try await Board.with { board in
            let first = try await board.start()
            try await first.set(["system/hostname": "stored"])
            let words = ["set", "--volatile", "system/hostname=passing", "--id", "try-1"]
            let set = try await board.change("set", "--volatile", "system/hostname=passing", "--id", "try-1")
            #expect(set.state == .confirmed && set.volatile == true && set.id == "try-1", "\(set)")
            #expect(set.generation == 1 && set.changes.map(\.path) == ["system/hostname"], "\(set)")
            #expect(set.changes.first?.new == "passing" && set.changes.first?.before?.value == "stored", "\(set)")
            #expect(set.changes.first?.before?.origin == .committed, "\(set)")
            #expect(
                set.results.contains {
                    $0.adapter == "host-name" && $0.state == .applied && $0.message.contains("/etc/hostname")
                }, "\(set)")
            #expect(try await first.get("system/hostname") == "passing")
            #expect(try await first.status().generation == 1)
            #expect(try await first.call(SettingsInterface.Log.self, .init()).generations.count == 1)
            let mode = try await board.script(#"stat -c %a "$D/run/volatile.json""#)
            #expect(mode.output == "600\n")

            var agent = first
            for signal in [Signal.terminate, .kill] {
                try await agent.stop(signal)
                agent = try await board.start()
                #expect(try await agent.get("system/hostname") == "passing")
                let setting = try await agent.call(SettingsInterface.Get.self, .init(path: "system/hostname")).setting
                #expect(setting.origin == .volatile)
                let again = try await board.script(#"exec "$CLEAT" "$@" --output json"#, words)
                let reply = try JSONReader.read(again.output)
                #expect(reply["state"] == "repeated" && reply["volatile"] == true, "\(again)")
                #expect(reply["changes"]?.arrayValue?.first?["new"] == "passing", "\(again)")
                #expect(try await board.script(#"exec "$CLEAT" "$@""#, words).status == 0)
                for other in [["--volatile", "system/hostname=z"], ["system/hostname=passing"]] {
                    let reused = try await board.refusal(["set", "--id", "try-1"] + other)
                    #expect(reused.status == 75 && reused.code == "IdReused", "\(reused)")
                    #expect(reused.parameters["id"] == "try-1", "\(reused)")
                }
                #expect(try await agent.findings().isEmpty)
                #expect(try await agent.status().generation == 1)
            }
            let unset = try await board.change("unset", "--volatile", "system/hostname", "--id", "try-2")
            #expect(unset.state == .confirmed && unset.volatile == true && unset.id == "try-2", "\(unset)")
            #expect(unset.generation == 1 && unset.changes.map(\.path) == ["system/hostname"], "\(unset)")
            let change = try #require(unset.changes.first)
            #expect(change.old == "passing" && change.new == nil && change.inForce?.value == "stored", "\(unset)")
            #expect(change.inForce?.origin == .committed, "\(unset)")
            #expect(try await agent.get("system/hostname") == "stored")
            #expect(try await agent.status().generation == 1)
        }
    }

    @Test("The service's own settings report how long they last")
    func own() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let set = try await board.change("set", "--volatile", "agent/log/level=debug")
            #expect(set.state == .confirmed && set.volatile == true && set.changes.first?.new == "debug", "\(set)")
            let stored = try await board.change("set", "agent/log/level=info")
            #expect(stored.state == .confirmed && stored.volatile != true && stored.generation == 1, "\(stored)")
            let inForce = try #require(stored.changes.first?.inForce, "\(stored)")
            #expect(inForce.value == "debug" && inForce.origin == .volatile, "\(stored)")
            #expect(try await agent.get("agent/log/level") == "debug")
            let unset = try await board.change("unset", "--volatile", "agent/log/level")
            #expect(unset.state == .confirmed && unset.volatile == true, "\(unset)")
            #expect(unset.changes.first?.old == "debug" && unset.changes.first?.new == nil, "\(unset)")
            #expect(try await agent.get("agent/log/level") == "info")
        }
    }

    @Test("The values of another boot are ignored")
    func boot() async throws {
        try await Board.with { board in
            let first = try await board.start()
            #expect(try await board.cleat("set", "--volatile", "system/hostname=passing", "--id", "a").status == 0)
            try await first.stop()
            let edited = try await board.script(
                #"grep -q '"boot_id":"[^"]' $D/run/volatile.json && sed -i 's/"boot_id":"[^"]*"/"boot_id":"other"/' $D/run/volatile.json"#
            )
            try #require(edited.status == 0, "\(edited)")
            let second = try await board.start()
            #expect(try await second.get("system/hostname") == nil)
            #expect(try await second.findings().isEmpty)
            #expect(!SystemCalls.exists(board.runtime + "/volatile.json"))
            // An id of the boot before is free again.
            let set = try await board.change("set", "--volatile", "system/hostname=again", "--id", "a")
            #expect(set.state == .confirmed && set.volatile == true && set.id == "a", "\(set)")
            #expect(try await second.get("system/hostname") == "again")
        }
    }

    @Test(
        "A file of volatile values that cannot be read is quarantined, and the service reports it",
        arguments: ["", "{", "[]", #"{"boot_id":7}"#, "\u{0}\u{0}\u{0}"])
    func malformed(_ text: String) async throws {
        try await Board.with { board in
            let first = try await board.start()
            try await first.set(["system/hostname": "stored"])
            #expect(try await board.cleat("set", "--volatile", "system/hostname=passing").status == 0)
            try await first.stop()
            try board.directory.write(text, to: "run/volatile.json", mode: 0o600)
            let second = try await board.start()
            let file = board.runtime + "/volatile.json"
            #expect(try await second.get("system/hostname") == "stored")
            #expect(try board.directory.read("run/volatile.json.damaged") == text)
            #expect(!SystemCalls.exists(file))
            let findings = try await second.findings()
            #expect(findings.map(\.kind) == [.store] && findings.map(\.subject) == [file], "\(findings)")
            #expect(findings.first?.message.contains("volatile.json.damaged") == true, "\(findings)")
            #expect(try await second.status().storeNotes.contains { $0.contains(file) })
            let doctor = try await board.cleat("doctor")
            #expect(doctor.status == 1 && doctor.output.contains(file), "\(doctor)")
            #expect(try await board.cleat("set", "--volatile", "system/hostname=again").status == 0)
            let log = try await second.stop().outputText
            #expect(log.contains("volatile.json.damaged"), "\(log)")
            let third = try await board.start()
            #expect(try await third.get("system/hostname") == "again")
            #expect(try await third.findings().isEmpty)
        }
    }

    @Test("A stored value moves to its new name in memory, and in the store with the next commit only")
    func renames() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/app.json", Self.old)
            let first = try await board.start()
            try await first.set(["app/speed": 5])
            #expect(try await board.cleat("set", "--volatile", "app/mode=slow").status == 0)
            try await first.stop()

            try board.write(vendor: "schema.d/app.json", Self.new)
            let second = try await board.start()
            #expect(try await second.get("app/rate") == 5)
            #expect(try await second.get("app/style") == "slow")
            let findings = try await second.findings()
            #expect(findings.map { "\($0.kind.rawValue) \($0.subject)" } == ["renamed app/rate", "renamed app/style"])
            #expect(findings.first?.message.contains("app/speed") == true, "\(findings)")
            #expect(findings.last?.message.contains("app/mode") == true)
            #expect(try await second.status().findings == 2)
            let asked = try await board.cleat("get", "app/speed")
            #expect(asked.status == 65 && asked.errorText.contains("app/rate"), "\(asked)")
            let refused = try await board.cleat("set", "app/speed=6")
            #expect(refused.status == 65 && refused.errorText.contains("app/rate"), "\(refused)")
            let why = try await second.call(SettingsInterface.Why.self, .init(path: "app/rate"))
            #expect(why.layers.first?.layer == .committed && why.layers.first?.generation == 1, "\(why)")
            try await second.stop()

            // An older release finds its own.
            try board.write(vendor: "schema.d/app.json", Self.old)
            let third = try await board.start()
            #expect(try await third.get("app/speed") == 5)
            #expect(try await third.get("app/mode") == "slow")
            #expect(try await third.findings().isEmpty)
            try await third.stop()

            try board.write(vendor: "schema.d/app.json", Self.new)
            let fourth = try await board.start()
            try await fourth.set(["system/hostname": "pump-7"])
            #expect(try await board.cleat("set", "--volatile", "time/ntp/enabled=false").status == 0)
            #expect(try await fourth.findings().isEmpty)
            #expect(try await fourth.get("app/rate") == 5)
            let last = try await board.cleat("diff", "1", "2")
            for line in ["- app/speed = 5", "+ app/rate = 5"] { #expect(last.lines.contains(line), "\(last)") }
            try await fourth.stop()

            let fifth = try await board.start()
            #expect(try await fifth.get("app/rate") == 5)
            #expect(try await fifth.get("app/style") == "slow")
            #expect(try await fifth.findings().isEmpty)
            try await fifth.stop()

            try board.write(vendor: "schema.d/app.json", Self.old)
            let sixth = try await board.start()
            #expect(try await sixth.get("app/speed") == 1)
            #expect(try await sixth.status().inactive == ["app/rate"])
            // Of what no schema knows any more it is not known whether it was a secret.
            let shown = try await board.cleat("diff", "1", "2")
            for line in ["- app/speed = 5", "~ app/rate (secret)"] { #expect(shown.lines.contains(line), "\(shown)") }
        }
    }

    @Test("The former name of a secret reveals no more than its present one", arguments: [true, false])
    func renamedSecret(_ isKnown: Bool) async throws {
        try await Board.with { board in
            func schema(_ properties: String) -> String {
                #"{ "type": "object", "properties": { "app": { "type": "object", "properties": { \#(properties) } } } }"#
            }
            try board.makeSourceDirectories()
            try board.write(
                vendor: "schema.d/app.json", schema(#""pin": { "type": "string", "writeOnly": true }, "x": {}"#))
            let first = try await board.start()
            try await first.set(["app/pin": "hidden-1"])
            #expect(try await board.cleat("set", "--volatile", "app/pin=hidden-2").status == 0)
            try await first.stop()

            let other =
                isKnown ? #""key": { "type": "string", "writeOnly": true, "x-cleat-renamed-from": "app/pin" }, "# : ""
            try board.write(vendor: "schema.d/app.json", schema(other + #""x": { "type": "integer" }"#))
            let second = try await board.start()
            let set = try await board.cleat("set", "app/x=1")
            #expect(set.status == 0, "\(set)")
            for words in [["diff", "0"], ["log"], ["doctor"], ["list"], ["export"], ["watch", "--help"]] {
                for form in ["text", "json"] {
                    let told = try await board.script(#"exec "$CLEAT" "$@""#, words + ["--output", form])
                    #expect(!(told.output + told.errorText).contains("hidden-"), "\(words) \(told)")
                }
            }
            if isKnown {
                let diff = try await board.cleat("diff", "1", "2")
                for line in ["~ app/pin (secret)", "~ app/key (secret)", "+ app/x = 1"] {
                    #expect(diff.lines.contains(line), "\(diff)")
                }
            }
            #expect(try await !second.stop().outputText.contains("hidden-"))
        }
    }

    @Test("A change of one layer reports the value that another one has in force")
    func besides() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(
                vendor: "schema.d/app.json",
                """
                { "type": "object", "properties": { "app": { "type": "object", "properties": {
                  "speed": { "type": "integer", "default": 1 }, "pin": { "type": "string", "writeOnly": true } } } } }
                """)
            try board.write(vendor: "defaults.d/app.json5", "{ app: { speed: 2, pin: 'hidden-0' } }")
            _ = try await board.start()
            for (words, line) in [
                ("set --check --volatile app/speed=3", "app/speed: 2 (vendor) -> 3"),
                ("set --volatile app/speed=3", "app/speed: 2 (vendor) -> 3"),
                ("set app/speed=4", "app/speed: 2 (vendor) -> 4; in force: 3 (volatile)"),
                ("unset --check app/speed", "app/speed: 4 -> unset; in force: 3 (volatile)"),
                ("unset --volatile app/speed", "app/speed: 3 -> unset; in force: 4 (committed)"),
                ("unset app/speed", "app/speed: 4 -> unset; in force: 2 (vendor)"),
                ("set app/pin=hidden-1", "app/pin: (secret)"),
                ("set --volatile app/pin=hidden-2", "app/pin: (secret)"),
                ("set app/pin=hidden-3", "app/pin: (secret); in force: (secret) (volatile)"),
                ("unset --volatile app/pin", "app/pin: (secret); in force: (secret) (committed)"),
                ("reset app", "app/pin: (secret); in force: (secret) (vendor)"),
                ("set system/hostname=x", "system/hostname: unset -> x"),
                // A mere default is not in force.
                ("unset system/hostname", "system/hostname: x -> unset"),
            ] {
                let told = try await board.script(#"exec "$CLEAT" "$@""#, words.split(separator: " ").map(String.init))
                #expect(told.status == 0 && told.lines.first == line, "\(words): \(told)")
                if words == "unset --volatile app/pin" {
                    #expect(told.output.contains("no longer in force"), "\(told)")
                }
            }
        }
    }

    @Test("A watcher is notified of a volatile value, and not of a commit below it")
    func watch() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let events = try await EventCollector(agent, .init(sources: ["setting"]))
            let connection = try await agent.connect()
            defer { connection.close() }
            let replies = ReplyBox()
            board.loop.task {
                try? await connection.stream(
                    SettingsInterface.Watch.name, ["prefixes": ["system/hostname", "system/timezone"]]
                ) { reply in
                    replies.append(try SettingsInterface.Watch.Reply(wire: reply))
                    return true
                }
            }
            try await board.eventually("the present was told") { replies.words.count == 2 }
            #expect(try await board.cleat("set", "--volatile", "system/hostname=passing").status == 0)
            try await board.eventually("the volatile value was told") { replies.words.count == 3 }
            try await agent.set(["system/hostname": "stored"])
            try await agent.set(["system/timezone": "Europe/Berlin"])
            try await board.eventually("the last change was told") { replies.words.count >= 4 }
            #expect(try await board.cleat("unset", "--volatile", "system/hostname").status == 0)
            try await board.eventually("the value below was told") { replies.words.count >= 5 }
            #expect(
                replies.words == [
                    "#0 system/hostname - schema_default", "#0 system/timezone - schema_default",
                    "#0 system/hostname \"passing\" volatile", "#2 system/timezone \"Europe/Berlin\" committed",
                    "#2 system/hostname \"stored\" committed",
                ])
            try await board.eventually("the events were told") { events.words(.setting).count >= 3 }
            #expect(
                events.words(.setting) == ["set system/hostname", "set system/timezone", "set system/hostname"])
            #expect(events.events.map { $0.properties["VALUE"] } == ["passing", "Europe/Berlin", "stored"])
        }
    }
}

/// Collects the replies of a watch.
private final class ReplyBox: Sendable {
    private let state = Mutex<[String]>([])

    /// The generation, path, value and origin of each reported setting.
    var words: [String] { state.withLock { $0 } }

    /// Adds the settings of one reply.
    func append(_ reply: SettingsInterface.Watch.Reply) {
        state.withLock { words in
            for setting in reply.settings {
                words.append(
                    "#\(reply.generation) \(setting.path) \(setting.value?.canonicalText ?? "-") \(setting.origin.rawValue)"
                )
            }
            words += reply.removed.map { "#\(reply.generation) \($0) removed" }
        }
    }
}
