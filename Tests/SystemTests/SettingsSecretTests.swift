import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

@Suite("Secrets")
struct SettingsSecretTests {
    /// A text that all secrets of this test contain, and nothing else.
    private static let mark = "s3cr3t"

    private static let schema = """
        { "type": "object", "properties": { "wifi": { "type": "object", "properties": {
          "ssid": { "type": "string" },
          "password": { "type": "string", "minLength": 8, "writeOnly": true },
          "second": { "type": "string", "minLength": 8, "writeOnly": true },
          "third": { "type": "string", "minLength": 8, "writeOnly": true },
          "keys": { "type": "array", "items": { "type": "object", "properties": {
            "name": { "type": "string" }, "key": { "type": "string", "minLength": 8, "writeOnly": true } } } } } } } }
        """

    /// Asks everything that can be asked, and gathers all answers.
    private func ask(_ agent: RunningAgent, _ answers: TextBox) async throws {
        let calls: [(String, JSONObject)] = [
            ("dev.cleat.Settings.Get", ["path": "wifi/password"]), ("dev.cleat.Settings.Get", ["path": "wifi"]),
            ("dev.cleat.Settings.Get", ["path": "wifi/keys"]), ("dev.cleat.Settings.Get", ["path": "wifi/second"]),
            ("dev.cleat.Settings.List", [:]), ("dev.cleat.Settings.List", ["prefix": "wifi", "defaults": false]),
            ("dev.cleat.Settings.Why", ["path": "wifi/password"]), ("dev.cleat.Settings.Why", ["path": "wifi/second"]),
            ("dev.cleat.Settings.Describe", [:]), ("dev.cleat.Settings.Log", [:]), ("dev.cleat.Settings.Diff", [:]),
            ("dev.cleat.Settings.Diff", ["from": 0]), ("dev.cleat.Settings.Doctor", [:]),
            ("dev.cleat.Settings.Schema", [:]), ("dev.cleat.Service.Status", [:]), ("dev.cleat.Hooks.List", [:]),
        ]
        for (method, parameters) in calls {
            do {
                answers.append(JSONValue.object(try await agent.call(method, parameters)).canonicalText)
            } catch {
                answers.append("\(error)")
            }
        }
        for words in [["get", "wifi"], ["list"], ["log"], ["diff"], ["status"]] {
            let shown = try await agent.board.script(#"exec "$CLEAT" "$@""#, words)
            answers.append(shown.output + shown.errorText)
        }
    }

    @Test("Nothing but the store holds a secret: no answer, no event, no hook, no log and no other file")
    func nowhere() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/wifi.json", Self.schema)
            try board.write(
                vendor: "defaults.d/wifi.json5",
                "{ wifi: { second: '\(Self.mark)-of-all-boards', third: '\(Self.mark)' } }")
            let program = try board.write(program: "hook", "env >>$D/hook.out; cat >>$D/hook.out; env; echo")
            try board.write(hook: "tell", "{ match: { source: 'setting' }, run: ['\(program)', '$D'] }")
            let agent = try await board.start(
                .init(arguments: ["--log-level", "trace"], environment: ["D": board.directory.text]))
            let answers = TextBox()
            let collector = try await EventCollector(agent)
            let watch = try await agent.connect()
            board.loop.task {
                try? await watch.stream(SettingsInterface.Watch.name, ["prefixes": []]) { reply in
                    answers.append(JSONValue.object(reply).canonicalText)
                    return true
                }
            }

            let key: JSONValue = ["name": "shown", "key": .string("\(Self.mark)-in-a-list")]
            for changes: [String: JSONValue?] in [
                ["wifi/ssid": "shown", "wifi/password": .string("\(Self.mark)-one"), "wifi/keys": [key]],
                ["wifi": ["password": .string("\(Self.mark)-two")]],
                ["wifi/third": .string("\(Self.mark)-three")], ["wifi/third": nil],
            ] {
                answers.append("\(try await agent.set(changes))")
                let shown = try await board.script(
                    #"exec "$CLEAT" set "wifi/second=$1""#, ["\(Self.mark)-\(changes.count)x"])
                #expect(shown.status == 0, "\(shown)")
                answers.append(shown.output + shown.errorText)
            }
            let wrong: [(String, JSONValue)] = [
                ("wifi/password", .string(Self.mark)), ("wifi/password", [.string(Self.mark)]),
                ("wifi/password", [Self.mark: 1]), ("wifi/password", ["x": .string(Self.mark)]),
                ("wifi", ["password": .string(Self.mark)]), ("wifi/pasword", .string(Self.mark)),
                ("wifi/keys", [["name": 1, "key": .string(Self.mark)]]), ("wifi/keys", .string(Self.mark)),
            ]
            for (path, value) in wrong {
                for more: [JSONValue] in [[], [["path": "system/hostname", "value": "no name"]]] {
                    let error = try await agent.refusal(
                        SettingsInterface.Set.name,
                        ["changes": .array([["path": .string(path), "value": value]] + more)])
                    answers.append("\(error)")
                }
                let shown = try await board.script(#"exec "$CLEAT" set "$1=$2""#, [path, value.canonicalText])
                // What looks like a list is a text where a text is asked for.
                #expect(shown.status == (path == "wifi/password" && value.arrayValue != nil ? 0 : 65), "\(shown)")
                answers.append(shown.output + shown.errorText)
            }
            try await ask(agent, answers)
            try await board.eventually("the hook had run for the last change") {
                let hooks = try await agent.call(HooksInterface.List.self, .init())
                return hooks.hooks.first.map { $0.runs >= 5 } ?? false
            }

            // Without its schema, with one that refuses what is stored, and with the first one again.
            let strict = Self.schema.split(separator: "8").joined(separator: "64")
            for schema in ["", strict, Self.schema] {
                try board.write(vendor: "schema.d/wifi.json", schema)
                try await agent.reload()
                try await ask(agent, answers)
            }
            #expect(answers.text.contains("shown") && answers.text.contains("wifi/password"))
            for event in collector.events { answers.append("\(event)") }
            watch.close()
            let log = try await agent.stop().outputText
            #expect(!answers.text.contains(Self.mark), "\(Self.around(answers.text))")
            #expect(!log.contains(Self.mark), "\(Self.around(log))")
            // What the test itself wrote does not count: the vendor's file, and what the commands said.
            let files = try await board.script(
                "cd $D && grep -rlaF \(Self.mark) . | grep -v -e '^./root/usr/lib/cleat/defaults.d/' -e '^./errors-' | sort"
            )
            #expect(!files.lines.isEmpty)
            for file in files.lines {
                #expect(
                    ["./state/settings.db", "./state/settings.db-wal", "./state/settings.copy.json"].contains(file))
            }
        }
    }

    /// Returns the part of a text around the first secret.
    private static func around(_ text: String) -> String {
        guard let place = text.firstRange(of: mark) else { return "" }
        let start = text.index(place.lowerBound, offsetBy: -300, limitedBy: text.startIndex) ?? text.startIndex
        return String(text[start...].prefix(600))
    }

    @Test("Root and the service's own user may have secrets revealed; all are marked")
    func reveal() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/wifi.json", Self.schema)
            let agent = try await board.start()
            try await agent.set(["wifi/ssid": "shown", "wifi/password": "correct horse"])
            func get(_ path: String, reveal: Bool?) async throws -> SettingInfo {
                try await agent.call(SettingsInterface.Get.self, .init(path: path, reveal: reveal)).setting
            }
            let hidden = try await get("wifi/password", reveal: nil)
            #expect(hidden.value == nil && hidden.secret == true && hidden.inForce)
            #expect(try await get("wifi/password", reveal: true).value == "correct horse")
            #expect(try await get("wifi", reveal: false).value == ["ssid": "shown"])
            #expect(try await get("wifi", reveal: true).value == ["ssid": "shown", "password": "correct horse"])
            let all = try await agent.call(SettingsInterface.List.self, .init(prefix: "wifi", reveal: true)).settings
            #expect(all.contains { $0.path == "wifi/password" && $0.value == "correct horse" && $0.secret == true })
        }
    }

    @Test("The store and the files next to it are for the service's user alone")
    func modes() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump-7"])
            try await agent.waitForCopy()
            let open = try await board.script(
                "cd $D/state && ls settings.db settings.db-wal settings.copy.json && stat -c %a . && find . -maxdepth 1 -type f -perm /077"
            )
            #expect(
                open.lines.sorted() == ["700", "settings.copy.json", "settings.db", "settings.db-wal"], "\(open)")
        }
    }
}
