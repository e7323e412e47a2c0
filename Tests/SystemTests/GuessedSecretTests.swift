import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// A member of group `cleat` asks with the stored secret and with another value: both must look the same.
@Suite(
    "Secrets by guessing", .tags(.fault), .enabled(if: Machine.isRoot, Machine.rootReason),
    .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct GuessedSecretTests {
    private static let schema = #"""
        { "type": "object",
          "properties": { "wifi": { "type": "object", "properties": {
            "ssid": { "type": "string" }, "pin": { "type": "string", "writeOnly": true },
            "pins": { "type": "array", "uniqueItems": true, "maxItems": 2,
              "items": { "type": "string", "writeOnly": true } } } } },
          "x-cleat-apply": [
            { "file": "/etc/wifi.conf", "escape": "line", "template": "pin {{wifi/pin}}\n" },
            { "command": ["/bin/true"], "when": ["/etc/wifi.conf"] },
            { "command": ["/bin/echo"], "when": ["wifi/pin"] } ] }
        """#

    /// Runs a test with a board whose secret is 4711.
    private func withBoard(_ body: @escaping @Sendable (Board, RunningAgent) async throws -> Void) async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/wifi.json", Self.schema)
            let agent = try await board.start(try await board.makeGroup().options)
            try await board.admitStrangers()
            try #require(try await board.script("mkdir -p $D/root/etc").status == 0)
            try await agent.set(["wifi/pin": "4711", "wifi/pins": ["4711"], "wifi/ssid": "net"])
            try await body(board, agent)
        }
    }

    /// Returns an answer without the id and the number of its generation.
    private func told(_ answer: JSONObject) -> String {
        var left = answer
        for name in ["id", "generation", "from", "to"] { left[name] = nil }
        for name in ["parameters", "change"] {
            guard let inner = left[name]?.objectValue else { continue }
            left[name] = try? JSONReader.read(told(inner))
        }
        return JSONValue.object(left).canonicalText
    }

    @Test(
        "Check, plan and rehearsal have the same answer for the right value as for another one",
        arguments: [
            #""check":true"#, #""plan":true"#, #""rehearse":true"#, #""check":true,"volatile":true"#,
            #""plan":true,"volatile":true"#,
        ])
    func tried(form: String) async throws {
        try await withBoard { board, agent in
            for change in [
                #"{"path":"wifi/pin","value":"GUESS"}"#, #"{"path":"wifi","value":{"pin":"GUESS"}}"#,
                #"{"path":"wifi/pins","value":["GUESS"]}"#,
                #"{"path":"wifi/pin","value":"GUESS"},{"path":"wifi/ssid","value":"other"}"#,
                #"{"path":"wifi/pins","value":"GUESS","operation":"add"}"#,
                #"{"path":"wifi/pins","value":"GUESS","operation":"remove"}"#,
            ] {
                var answers: [String] = []
                for guess in ["4711", "4712"] {
                    let request = #"{"changes":[\#(change)],\#(form)}"#.split(separator: "GUESS").joined(
                        separator: guess)
                    let answer = try await board.call("dev.cleat.Settings.Set", request, as: .member)
                    answers.append(told(answer))
                }
                #expect(answers[0] == answers[1], "\(form) \(change)")
                #expect(answers[0].contains("wifi/pin") && !answers[0].contains("nothing would change"), "\(answers)")
            }
            if !form.contains("rehearse") { #expect(try await agent.status().generation == 1) }
        }
    }

    @Test("A set value is written again, whatever was stored: answer, history, events, file and program are the same")
    func made() async throws {
        try await withBoard { board, agent in
            let collector = try await EventCollector(agent)
            var seen: [[String]] = []
            for guess in ["4711", "0815"] {
                _ = try await agent.set(["wifi/pin": "4711"])
                let before = try await agent.status().generation
                let inode = try await board.script("stat -c %i $D/root/etc/wifi.conf").output
                let answer = try await board.call(
                    "dev.cleat.Settings.Set", #"{"changes":[{"path":"wifi/pin","value":"\#(guess)"}],"comment":"c"}"#,
                    as: .member)
                let after = try await agent.status().generation
                let diff = try await board.call("dev.cleat.Settings.Diff", "{}", as: .member)
                let back = try await board.call(
                    "dev.cleat.Settings.Rollback", #"{"to":\#(before),"plan":true}"#, as: .member)
                let written = try await board.script("stat -c %i $D/root/etc/wifi.conf").output != inode
                seen.append(
                    [told(answer), "\(after - before)", told(diff), told(back), "\(written)"])
                try await board.eventually("the change was told") {
                    collector.events.contains { $0.subject == "wifi/pin" && $0.properties["GENERATION"] == "\(after)" }
                }
            }
            #expect(seen[0] == seen[1])
            #expect(seen[0][1] == "1" && seen[0][4] == "true", "\(seen)")
            #expect(try await board.script("cat $D/root/etc/wifi.conf").output == "pin 0815\n")
        }
    }

    @Test("A volatile value in force hides nothing, and reveals nothing, of the stored one")
    func behindVolatile() async throws {
        try await withBoard { board, agent in
            let over = #"{"changes":[{"path":"wifi/pin","value":"x"}],"volatile":true}"#
            #expect(try await board.call("dev.cleat.Settings.Set", over, as: .member)["error"] == nil)
            var answers: [String] = []
            for guess in ["4711", "4712"] {
                let request = #"{"changes":[{"path":"wifi/pin","value":"\#(guess)"}],"plan":true}"#
                answers.append(told(try await board.call("dev.cleat.Settings.Set", request, as: .member)))
            }
            #expect(answers[0] == answers[1])
        }
    }

    @Test("An id that another user has used reveals nothing of the values it was used for")
    func identifiers() async throws {
        try await withBoard { board, agent in
            let root = ChildCommand.User(uid: 0, gid: 0)
            func request(_ value: String) -> String {
                #"{"changes":[{"path":"wifi/pin","value":"\#(value)"}],"id":"mine"}"#
            }
            for _ in 0..<2 {
                let answer = try await board.call("dev.cleat.Settings.Set", request("4713"), as: root)
                #expect(answer["error"] == nil, "\(answer)")
            }
            for guess in ["4713", "4712"] {
                let answer = try await board.call("dev.cleat.Settings.Set", request(guess), as: .member)
                #expect(answer["error"] == "dev.cleat.Settings.IdReused", "\(answer)")
            }
        }
    }

    @Test("A made-up snapshot with a guess reveals nothing either")
    func snapshots() async throws {
        try await withBoard { board, agent in
            _ = try await board.call("dev.cleat.Snapshots.Create", #"{"name":"now"}"#, as: .member)
            let export = try await board.cleat("snapshot", "export", "now")
            #expect(export.status == 0 && !export.output.contains("\"4711\""), "\(export)")
            var seen: [[String]] = []
            for guess in ["4711", "4712"] {
                // A file as a person would write it.
                let lines = export.output.split(separator: "\n").dropLast().map { line in
                    line.contains(#""wifi/pin""#) ? #"{"setting":"wifi/pin","value":"\#(guess)"}"# : String(line)
                }
                let text = lines.joined(separator: "\n") + "\n"
                try #require(text.contains(guess))
                let made = try board.directory.write(
                    text + #"{"sha256":"\#(SHA256.hexadecimal(of: text.utf8))"}"# + "\n", to: "made")
                let imported = try await board.cleat("snapshot", "import", made, "--name", "g\(guess)")
                try #require(imported.status == 0, "\(imported)")
                var answers: [String] = []
                for (method, parameters) in [
                    ("Diff", #"{"name":"g\#(guess)"}"#), ("Diff", #"{"name":"g\#(guess)","other":"now"}"#),
                    ("Restore", #"{"name":"g\#(guess)","check":true}"#),
                ] {
                    let answer = try await board.call("dev.cleat.Snapshots.\(method)", parameters, as: .member)
                    answers.append(told(answer).split(separator: guess).joined(separator: "GUESS"))
                }
                seen.append(answers)
            }
            #expect(seen[0] == seen[1])
        }
    }
}
