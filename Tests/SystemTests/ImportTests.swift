import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Settings that arrive in the inbox", .serialized)
struct ImportTests {
    private static let rules = """
        { imports: [
          { match: "*.trial.json5", confirm: "5m" },
          { match: "strangers/*", owners: [65534] },
          { match: "*.json5" },
        ] }
        """

    /// Puts a text into the inbox the way a stick's script does: under another name first.
    private func drop(_ text: String, as name: String, on board: Board) async throws {
        let done = try await board.script(
            #"mkdir -p "$D/state/files/inbox/$(dirname "$1")" && cat >"$D/drop" && mv "$D/drop" "$D/state/files/inbox/$1""#,
            [name], input: text)
        #expect(done.status == 0, "\(done)")
    }

    private func library(_ board: Board, _ directory: String) -> [String] {
        ((try? names(in: "\(board.state)/files/library/\(directory)")) ?? []).sorted()
    }

    @Test("A file that a rule names is applied as a whole, reported, and moved to the library with its generation")
    func applied() async throws {
        try await Board.with { board in
            try board.directory.write(Self.rules, to: "etc/cleatd.json5")
            let agent = try await board.start()
            let events = try await EventCollector(agent, .init(sources: ["file"]))
            try await agent.set(["time/ntp/servers": ["a.example"], "system/hostname": "before"])
            let text =
                "{ system: { hostname: 'pump-7' }, network: { interfaces: { eth0: { mtu: 1400 } } }, time: { ntp: { servers: null } } }"
            try await drop(text, as: "site/board.json5", on: board)
            try await board.eventually("it was put away") { library(board, "imported") == ["2-board.json5"] }
            #expect(try await agent.get("system/hostname") == "pump-7")
            #expect(try await agent.get("network/interfaces/eth0/mtu") == 1400)
            #expect(try await agent.get("time/ntp/servers") != ["a.example"])
            #expect(try contents(of: FilePath("\(board.state)/files/library/imported/2-board.json5")) == text)
            #expect(try names(in: "\(board.state)/files/inbox/site").isEmpty)
            let generation = try await agent.call(SettingsInterface.Log.self, .init()).generations.first
            #expect(generation?.number == 2 && generation?.comment == "from site/board.json5 of the inbox")
            try await board.eventually("it was told") { events.told(["imported site/board.json5"], .file) }

            // The same file, brought once more, is another wish: the settings may have changed meanwhile.
            try await agent.set(["system/hostname": "other"])
            try await drop(text, as: "site/board.json5", on: board)
            try await board.eventually("it was put away again") { library(board, "imported").count == 2 }
            #expect(try await agent.get("system/hostname") == "pump-7")
            #expect(library(board, "rejected").isEmpty)

            try await drop("{ system: { hostname: 'left' } }", as: "board.txt", on: board)
            try await drop("{ system: { hostname: 'last' } }", as: "last.json5", on: board)
            try await board.eventually("the last one was put away") { library(board, "imported").count == 3 }
            #expect(try await agent.get("system/hostname") == "last")
            #expect(try names(in: "\(board.state)/files/inbox").contains("board.txt"))
            events.close()
        }
    }

    @Test("An invalid file changes nothing and is moved to the library with the reason next to it")
    func rejected() async throws {
        try await Board.with { board in
            try board.directory.write(Self.rules, to: "etc/cleatd.json5")
            let agent = try await board.start()
            try await agent.set(["system/hostname": "before"])
            let two = "{ system: { hostname: 'after' }, network: { interfaces: { eth0: { mtu: 7 } } } }"
            let stranger = "{ system: { hostname: 'after' } }"
            let long = "{ system: { hostname: '" + String(repeating: "x", count: 1 << 20) + "' } }"
            // Only what is too long to be read may have the secret of a Wi-Fi network.
            let bad: [(name: String, text: String, reason: String)] = [
                ("a.json5", "{ system: { hostname: 'x' }", "Line 1, column "), ("b.json5", two, "mtu"),
                ("c.json5", "{ system: { colour: 'after' } }", "system/colour"),
                ("d.json5", "[]", "settings are an object"), ("e.json5", "{}", "names no setting"),
                ("f.json5", "{ system: { '..': 1 } }", "not a valid name of a setting"),
                ("strangers/g", stranger, "belongs to"), ("h.json5", long, "1048576 bytes"),
            ]
            for one in bad { try await drop(one.text, as: one.name, on: board) }
            try await board.eventually("all were put away") {
                let inbox = "\(board.state)/files/inbox"
                return try library(board, "rejected").count == 2 * bad.count - 1 && names(in: inbox) == ["strangers"]
                    && names(in: "\(inbox)/strangers").isEmpty
            }
            for one in bad {
                let base = one.name.split(separator: "/").last.map(String.init) ?? ""
                let reason = library(board, "rejected").first { $0.hasSuffix("-\(base).reason.txt") } ?? ""
                let text = try contents(of: FilePath("\(board.state)/files/library/rejected/\(reason)"))
                #expect(text.contains(one.reason), "\(one.name): \(text)")
                let kept = String(reason.dropLast(".reason.txt".utf8.count))
                let left = try? contents(of: FilePath("\(board.state)/files/library/rejected/\(kept)"))
                #expect(left == (one.text.utf8.count < 1 << 20 ? one.text : nil), "\(one.name)")
            }
            #expect(try await agent.get("system/hostname") == "before")
            #expect(try await agent.status().generation == 1)
            #expect(library(board, "imported").isEmpty)
        }
    }

    @Test("On trial it stays until its change has ended, also over a kill; the next one waits for that")
    func onTrial() async throws {
        try await Board.with { board in
            try board.directory.write(Self.rules, to: "etc/cleatd.json5")
            let first = try await board.start()
            try await first.set(["system/hostname": "before"])
            try await drop("{ system: { hostname: 'tried' } }", as: "a.trial.json5", on: board)
            try await board.eventually("it is on trial") {
                try await first.status().trial?.phase == .awaitingConfirm
            }
            let id = try await first.status().trial?.id ?? ""
            try await first.stop(.kill)
            let agent = try await board.start()
            #expect(try await agent.status().trial?.id == id)
            try await drop("{ network: { interfaces: { eth0: { mtu: 1400 } } } }", as: "b.json5", on: board)
            #expect(try await board.cleat("confirm", id).status == 0)
            try await board.eventually("both were put away") {
                library(board, "imported") == ["2-a.trial.json5", "3-b.json5"]
            }
            #expect(try await agent.get("system/hostname") == "tried")
            try await drop("{ system: { hostname: 'never' } }", as: "c.trial.json5", on: board)
            try await board.eventually("it is on trial") { try await agent.status().trial != nil }
            // Another mode makes it no other file, which would ask for the change once more.
            #expect(try await board.script("chmod 600 $D/state/files/inbox/c.trial.json5").status == 0)
            #expect(try await board.cleat("abort", try await agent.status().trial?.id ?? "").status == 0)
            try await board.eventually("it was rejected") { library(board, "rejected").count == 2 }
            #expect(try await agent.get("system/hostname") == "tried")
        }
    }

    @Test("Files that exist at startup are applied in the order of their names, whatever the order of the directory")
    func order() async throws {
        try await Board.with { board in
            try board.directory.write(Self.rules, to: "etc/cleatd.json5")
            for number in [3, 5, 1, 4, 2] {
                try await drop("{ system: { hostname: 'n\(number)' } }", as: "0\(number).now.json5", on: board)
            }
            try await drop("{ system: { timezone: 'UTC' } }", as: "other.txt", on: board)
            let agent = try await board.start()
            try await board.eventually("all were put away") { library(board, "imported").count == 5 }
            #expect(library(board, "imported") == (1...5).map { "\($0)-0\($0).now.json5" })
            #expect(try await agent.get("system/hostname") == "n5")
            #expect(try await agent.status().generation == 5)
            #expect(library(board, "rejected").isEmpty)
        }
    }

    @Test("A secret of an applied file is only in the store; without rules files stay")
    func secret() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(
                vendor: "schema.d/wifi.json",
                """
                { "type": "object", "properties": { "wifi": { "type": "object", "properties": {
                  "ssid": { "type": "string" }, "password": { "type": "string", "writeOnly": true } } } } }
                """)
            let agent = try await board.start()
            let text = "{ wifi: { ssid: 'shop', password: 's3cr3t-words' } }"
            try await drop(text, as: "wifi.json5", on: board)
            try await board.eventually("it was told") { try await agent.counter("inbox.arrived") == 1 }
            #expect(try names(in: "\(board.state)/files/inbox") == ["wifi.json5"])
            try board.directory.write("{ imports: [{ match: ''", to: "etc/cleatd.json5")
            try await agent.reload()
            #expect(try names(in: "\(board.state)/files/inbox") == ["wifi.json5"])
            // What arrived before the rules is taken with them.
            try board.directory.write(Self.rules, to: "etc/cleatd.json5")
            try await agent.reload()
            try await board.eventually("it was put away") {
                try library(board, "imported").count == 1 && names(in: "\(board.state)/files/inbox").isEmpty
            }
            #expect(try await agent.get("wifi/ssid") == "shop")
            let found = try await board.script(#"grep -rl s3cr3t "$D/state/files" "$D/log"* 2>/dev/null; true"#)
            #expect(found.output == "", "\(found)")
            let kept = library(board, "imported").first ?? ""
            #expect(
                try contents(of: FilePath("\(board.state)/files/library/imported/\(kept)"))
                    == #"{"wifi":{"ssid":"shop"}}"# + "\n")
        }
    }

    @Test("A secret of a file that is rejected is reported nowhere, whatever is wrong with the file")
    func rejectedSecret() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(
                vendor: "schema.d/key.json",
                """
                { "type": "object", "properties": { "key": { "type": "object", "properties": {
                  "name": { "type": "string", "maxLength": 4 }, "value": { "type": "string", "writeOnly": true } } } } }
                """)
            try board.directory.write(Self.rules, to: "etc/cleatd.json5")
            let agent = try await board.start(.init(arguments: ["--log-level", "trace"]))
            let events = try await EventCollector(agent, .init(sources: ["file"]))
            let mark = "SECRETIMPORT9"
            let bad: [(name: String, text: String)] = [
                ("unquoted.json5", "{key:{value:\(mark)}}"), ("open.json5", "{key:{value:'\(mark)"),
                ("dot.json5", "{key:{value:'\(mark)'},\n.}"), ("twice.json5", "{'\(mark)':1,'\(mark)':2}"),
                ("misspelled.json5", "{key:{valeu:'\(mark)'}}"), ("group.json5", "{key:'\(mark)'}"),
                ("below.json5", "{key:{value:{x:'\(mark)'}}}"), ("list.json5", "['\(mark)']"),
                ("name.json5", "{key:{'\(mark)\\u0001':1}}"), ("other.json5", "{key:{name:'longer',value:'\(mark)'}}"),
                ("strangers/a", "{key:{value:'\(mark)'}}"), ("strangers/b", "{key:{value:\(mark)}}"),
                ("long.json5", "{key:{value:'\(mark)'}}" + String(repeating: " ", count: 1 << 20)),
            ]
            for one in bad { try await drop(one.text, as: one.name, on: board) }
            try await board.eventually("all were told") {
                bad.allSatisfy { events.told(["rejected \($0.name)"], .file) }
            }
            #expect(library(board, "rejected").count { $0.hasSuffix(".reason.txt") } == bad.count)
            let told = events.events.map { "\($0)" }.joined()
            #expect(!told.contains(mark), "\(told)")
            let unquoted = events.events.first { $0.subject == "unquoted.json5" && $0.action == "rejected" }
            let reason = unquoted?.properties["REASON"] ?? ""
            // The line and the column.
            #expect(reason.split { !$0.isNumber }.prefix(2) == ["1", "13"], "\(told)")
            events.close()
            for words in [["log"], ["doctor"], ["status"], ["hook", "list"]] {
                let shown = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(!shown.output.contains(mark), "\(shown)")
            }
            #expect(try await agent.status().generation == 0)
            #expect(try await !agent.stop().outputText.contains(mark))
            let found = try await board.script(#"cd "$D" && grep -rlaF "$1" state log* 2>/dev/null; true"#, [mark])
            #expect(found.output == "", "\(found)")
        }
    }
}
