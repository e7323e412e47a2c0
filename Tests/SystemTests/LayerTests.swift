import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

/// The layers of a board, with the real programs: where values are from, what is locked, lists, checks and resets.
@Suite("Layers, end to end", .serialized)
struct LayerEndToEndTests {
    private static let player = """
        { "type": "object", "properties": { "player": { "type": "object", "properties": {
          "volume": { "type": "integer", "minimum": 0, "maximum": 100, "default": 30 },
          "source": { "type": "string", "enum": ["radio", "disc"] },
          "tags": { "type": "array", "items": { "type": "string" }, "default": ["new"] },
          "pin": { "type": "string", "minLength": 8, "writeOnly": true } } } } }
        """

    /// Makes a board with a schema, defaults and factory data.
    private func prepare(_ board: Board) throws -> (defaults: String, factory: String) {
        try board.makeSourceDirectories()
        try board.write(vendor: "schema.d/player.json", Self.player)
        let defaults = try board.write(
            vendor: "defaults.d/player.json5", "{ player: { volume: 45, pin: 'hidden-of-all-boards' } }")
        try SystemCalls.makeDirectory(board.state, mode: 0o700)
        let factory = try board.directory.write(
            "{ player: { volume: 50 }, system: { hostname: 'serial-0042' } }", to: "state/factory.json5")
        return (defaults, factory)
    }

    private func json(_ finished: Board.Finished) throws -> JSONValue {
        #expect(finished.status == 0, "\(finished.errorText)")
        return try JSONReader.read(finished.output)
    }

    @Test("Why reports every layer with its file or author, and the result of unset")
    func why() async throws {
        try await Board.with { board in
            let (defaults, factory) = try prepare(board)
            let agent = try await board.start()
            #expect(try await board.cleat("set", "player/volume=60", "--comment", "louder").status == 0)
            #expect(
                try await board.cleat("set", "--volatile", "player/volume=70", "--comment", "party").status == 0)
            let author = try #require(
                await agent.call(SettingsInterface.Log.self, .init(limit: 1)).generations.first
            ).author

            let reply = try SettingsInterface.Why.Reply(
                wire: json(await board.cleat("why", "player/volume", "--output", "json")).objectValue ?? [:])
            #expect(reply.setting.value == 70 && reply.setting.origin == .volatile && reply.generation == 1)
            #expect(reply.layers.map(\.layer) == [.volatile, .committed, .factory, .vendor, .schemaDefault])
            #expect(reply.layers.map(\.value) == [70, 60, 50, 45, 30])
            #expect(reply.layers.map(\.inForce) == [true, false, false, false, false])
            #expect(reply.layers.map(\.file) == [nil, nil, factory, defaults, nil])
            #expect(reply.layers.map(\.generation) == [nil, 1, nil, nil, nil])
            #expect(reply.layers.map(\.author) == [author, author, nil, nil, nil])
            #expect(reply.layers.map(\.comment) == ["party", "louder", nil, nil, nil])
            #expect(reply.layers.map { $0.time != nil } == [true, true, false, false, false])
            // What is volatile stays, whatever is committed.
            #expect(reply.unset?.layer == .volatile && reply.unset?.value == 70)
            #expect(reply.lock == nil)

            let text = try await board.cleat("why", "player/volume")
            #expect(text.status == 0 && text.lines.first == "player/volume = 70", "\(text)")
            #expect(text.lines.count { $0.hasPrefix("* ") } == 1, "\(text)")
            #expect(text.lines.contains { $0.hasPrefix("* volatile") && $0.contains(author) }, "\(text)")
            #expect(text.lines.contains { $0.hasPrefix("  committed") && $0.contains("#1  \(author)") }, "\(text)")
            #expect(text.output.contains("louder") && text.output.contains(defaults), "\(text)")
            #expect(text.lines.last == "unset would give 70  from volatile, until the next boot", "\(text)")

            // What it said is what comes.
            #expect(try await board.cleat("unset", "--volatile", "player/volume").status == 0)
            #expect(try await agent.get("player/volume") == 60)
            let below = try await board.cleat("why", "player/volume")
            #expect(below.lines.last == "unset would give 50  from factory, \(factory)", "\(below)")
            #expect(try await board.cleat("unset", "player/volume").status == 0)
            #expect(try await agent.get("player/volume") == 50)
            let none = try json(await board.cleat("why", "player/source", "--output", "json"))
            #expect(none["layers"] == [] && none["unset"] == nil, "\(none)")
            let unknown = try await board.refusal("why", "player/volum")
            #expect(unknown.status == 65 && unknown.code == "UnknownSetting", "\(unknown)")
            #expect(
                unknown.parameters["path"] == "player/volum" && unknown.message.contains("player/volume"), "\(unknown)")
        }
    }

    /// Without what is listed in another place than it is written, the text is written while the pages arrive; the
    /// JSON form never is.
    @Test("An export has the committed values, whatever hides them")
    func exports() async throws {
        try await Board.with { board in
            _ = try prepare(board)
            let agent = try await board.start()
            try await agent.set([
                "player/volume": 60, "player/source": "radio", "player/pin": "hidden-committed",
                "network/interfaces/eth0/mtu": 1_400,
            ])
            func expectBothForms(_ wanted: JSONValue, _ words: String...) async throws {
                let text = try await board.cleat(["export"] + words)
                #expect(text.status == 0 && text.lines.first?.hasPrefix("// Committed settings") == true, "\(text)")
                #expect(try JSONReader.read(text.output, dialect: .json5) == wanted, "\(text.output)")
                let isHidden = wanted["player"]?["pin"] == nil
                #expect(text.output.contains("// pin: a secret, which is set;") == isHidden, "\(text.output)")
                #expect(try json(await board.cleat(["export", "--format", "json"] + words)) == wanted)
            }
            let player: JSONValue = ["source": "radio", "volume": 60]
            let network: JSONValue = ["interfaces": ["eth0": ["mtu": 1_400]]]
            for change in ["player/volume=70", "player/pin=hidden-volatile", "player/tags=[\"a\"]", nil] {
                try await expectBothForms(["network": network, "player": player])
                try await expectBothForms(["player": player], "player")
                try await expectBothForms(
                    ["player": ["source": "radio", "volume": 60, "pin": "hidden-committed"]], "player", "--reveal")
                guard let change else { continue }
                #expect(try await board.cleat("set", "--volatile", change).status == 0)
            }
            #expect(try await board.cleat("export", "nowhere").status == 65)
        }
    }

    @Test("An entry that does not exist is refused with a suggestion")
    func missingEntry() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["network/interfaces/eth0/mtu": 1_400])
            let suggestion = "network/interfaces/eth0"
            let missing = try await board.cleat("get", "network/interfaces/etho/mtu")
            #expect(missing.status == 1 && missing.output.isEmpty, "\(missing)")
            #expect(
                ["network/interfaces/etho", suggestion + "/mtu"].allSatisfy(missing.errorText.contains), "\(missing)")
            let byDefault = try await board.cleat("get", "network/interfaces/etho/dhcp", "--default")
            #expect(byDefault.status == 0 && byDefault.output == "true\n", "\(byDefault)")
            let object = try json(await board.cleat("get", "network/interfaces/etho/dhcp", "--output", "json"))
            #expect(object["note"]?.stringValue?.contains(suggestion + "/dhcp") == true, "\(object)")
            let terminal = try await board.cleat("list", "network/interfaces/etho")
            #expect(terminal.status == 0 && terminal.output.contains(suggestion), "\(terminal)")
            let there = try json(await board.cleat("get", "network/interfaces/eth0/dhcp", "--output", "json"))
            #expect(there["note"] == nil, "\(there)")
        }
    }

    @Test("Why hides a secret of every layer, unless --reveal is given")
    func secrets() async throws {
        try await Board.with { board in
            _ = try prepare(board)
            let agent = try await board.start()
            try await agent.set(["player/pin": "hidden-committed"])
            #expect(try await board.cleat("set", "--volatile", "player/pin=hidden-volatile").status == 0)
            for path in ["player/pin", "player"] {
                for form in ["text", "json"] {
                    let quiet = try await board.cleat("why", path, "--output", form)
                    #expect(quiet.status == 0 && !quiet.output.contains("hidden-"), "\(quiet)")
                    let told = try await board.cleat("why", path, "--output", form, "--reveal")
                    for layer in ["volatile", "committed", "of-all-boards"] {
                        #expect(told.status == 0 && told.output.contains("hidden-\(layer)"), "\(told)")
                    }
                }
            }
        }
    }

    @Test("A locked path accepts and shows no value of higher layers; without the lock the value is in force again")
    func locks() async throws {
        try await Board.with { board in
            _ = try prepare(board)
            let agent = try await board.start()
            try await agent.set(["system/hostname": "mine", "player/tags": ["a"]])
            let text = """
                { locks: [ { path: 'system/hostname', layer: 'factory', reason: 'the fleet names its boards' },
                           { path: 'player/tags', layer: 'vendor', reason: 'the fleet tags its boards' } ] }
                """
            let file = try board.write(admin: "locks.d/fleet.json5", text)
            try await agent.reload()
            #expect(try await agent.get("system/hostname") == "serial-0042")
            #expect(try await agent.get("player/tags") == ["new"])
            for (words, layer, reason) in [
                (["set", "system/hostname=x"], "the factory data", "the fleet names its boards"),
                (["set", "--volatile", "system/hostname=x"], "the factory data", "the fleet names its boards"),
                (["set", "--check", "system/hostname=x"], "the factory data", "the fleet names its boards"),
                (["set", "player/volume=1", "system/hostname=x"], "the factory data", "the fleet names its boards"),
                (["unset", "system/hostname"], "the factory data", "the fleet names its boards"),
                (["unset", "system"], "the factory data", "the fleet names its boards"),
                (["add", "player/tags", "b"], "the vendor's defaults", "the fleet tags its boards"),
                (["remove", "player/tags", "a"], "the vendor's defaults", "the fleet tags its boards"),
            ] {
                let refused = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(refused.status == 77 && refused.output.isEmpty, "\(words) \(refused)")
                for part in [file, layer, reason] {
                    #expect(refused.errorText.contains(part), "\(words) \(refused)")
                }
                let refusal = try await board.script(#"exec "$CLEAT" "$@" --output json"#, words)
                let object = try JSONReader.read(refusal.errorText)
                #expect(object["error"]?.stringValue?.hasSuffix("SettingLocked") == true, "\(object)")
                #expect(object["exit_status"] == 77)
            }
            #expect(try await agent.status().generation == 1)
            #expect(try await agent.get("player/volume") == 50)

            let findings = try await agent.findings()
            #expect(
                findings.map { "\($0.kind.rawValue) \($0.subject)" } == [
                    "locked player/tags", "locked system/hostname",
                ])
            #expect(findings.allSatisfy { $0.message.contains(file) })
            let doctor = try await board.cleat("doctor")
            #expect(doctor.status == 1 && doctor.output.contains("system/hostname"), "\(doctor)")
            let why = try json(await board.cleat("why", "system/hostname", "--output", "json"))
            #expect(why["lock"]?["file"] == .string(file) && why["lock"]?["layer"] == "factory", "\(why)")
            #expect(why["layers"]?.arrayValue?.first?["value"] == "mine")
            #expect(why["layers"]?.arrayValue?.first?["ignored"]?.stringValue?.contains(file) == true, "\(why)")

            try SystemCalls.remove(file)
            try await agent.reload()
            #expect(try await agent.get("system/hostname") == "mine")
            #expect(try await agent.get("player/tags") == ["a"])
            #expect(try await board.cleat("doctor").status == 0)
            // What the doctor advises works while the lock is there.
            try board.write(admin: "locks.d/fleet.json5", text)
            try await agent.reload()
            for finding in try await agent.findings() {
                #expect(finding.remedy.contains("cleat reset \(finding.subject)"), "\(finding)")
                #expect(try await board.cleat("reset", finding.subject).status == 0)
            }
            #expect(try await agent.findings().isEmpty)
        }
    }

    /// The sorted contents of a board's list after four clients have added ten values each.
    private static let added: [String] = {
        var tags = ["new"]
        for client in 1...4 { for number in 0...9 { tags.append("t\(client)\(number)") } }
        return tags.sorted()
    }()

    /// Returns true if the values of each client are in the order in which it added them.
    private static func areInOrder(_ tags: [String]) -> Bool {
        [1, 2, 3, 4].allSatisfy { client in
            let own = tags.filter { $0.hasPrefix("t\(client)") }
            return own == own.sorted()
        }
    }

    @Test("Four clients that add to one list at once lose nothing")
    func addAtOnce() async throws {
        try await Board.with { board in
            _ = try prepare(board)
            let agent = try await board.start()
            let result = try await board.script(
                """
                for i in 1 2 3 4; do
                    (for j in 0 1 2 3 4 5 6 7 8 9; do "$CLEAT" add player/tags "t$i$j" >/dev/null || exit 1; done) &
                    pids="$pids $!"
                done
                for p in $pids; do wait $p || echo failed; done
                """)
            #expect(result.output.isEmpty, "\(result)")
            let value = try await agent.get("player/tags")
            let tags = value?.arrayValue?.compactMap(\.stringValue) ?? []
            // The list began with its default.
            #expect(tags.sorted() == Self.added, "\(tags)")
            // Each client's own come in the order in which it added them.
            #expect(Self.areInOrder(tags), "\(tags)")
            #expect(try await agent.status().generation == 40)
        }
    }

    @Test("Adding an existing value and removing a missing one change nothing; other settings than lists are refused")
    func lists() async throws {
        try await Board.with { board in
            _ = try prepare(board)
            let agent = try await board.start()
            #expect(try await board.cleat("add", "player/tags", "a", "b", "a").status == 0)
            #expect(try await agent.get("player/tags") == ["new", "a", "b"])
            for words in [["add", "player/tags", "b"], ["remove", "player/tags", "z"]] {
                let same = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(same.status == 0 && same.output == "nothing changed\n", "\(same)")
            }
            #expect(try await board.cleat("remove", "player/tags", "a", "new").status == 0)
            #expect(try await agent.get("player/tags") == ["b"])
            // A host may be called 42: what is meant follows from the schema.
            #expect(try await board.cleat("add", "player/tags", "42").status == 0)
            #expect(try await agent.get("player/tags") == ["b", "42"])
            #expect(try await board.cleat("remove", "player/tags", "42").status == 0)
            #expect(try await agent.status().generation == 4)
            for (words, part) in [
                (["add", "player/volume", "5"], "player/volume"), (["remove", "player/volume", "5"], "player/volume"),
                (["add", "player", "x"], "player"), (["add", "player/tagz", "x"], "player/tags"),
                (["remove", "player/tagz", "x"], "player/tags"),
                (["add", "time/ntp/servers", "-"], "time/ntp/servers"),
            ] {
                let refused = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(refused.status == 65 && refused.errorText.contains(part), "\(words) \(refused)")
            }
            #expect(try await agent.status().generation == 4)
        }
    }

    @Test("A check prints the effect of a change or the reason against it, and changes nothing")
    func check() async throws {
        try await Board.with { board in
            _ = try prepare(board)
            let agent = try await board.start()
            try await agent.set(["player/volume": 60])
            try await agent.waitForCopy()
            let collector = try await EventCollector(agent, .init(sources: ["setting"]))
            let sums = #"sha256sum "$D"/state/settings.* "$D"/run/*.json 2>/dev/null; ls "$D/state" "$D/run""#
            let before = try await board.script(sums).output
            for words in [
                ["set", "player/volume=70", "--id", "one"], ["set", "player/volume=70", "--volatile"],
                ["unset", "player/volume"], ["add", "player/tags", "x"], ["remove", "player/tags", "new"],
            ] {
                let text = try await board.script(#"exec "$CLEAT" "$@" --check"#, words)
                #expect(text.status == 0 && text.lines.count == 2, "\(text)")
                #expect(text.lines.first?.hasPrefix("\(words[1].prefix { $0 != "=" }): ") == true, "\(text)")
                let reply = try json(await board.script(#"exec "$CLEAT" "$@" --check --output json"#, words))
                #expect(reply["state"] == "checked" && reply["results"] == [], "\(reply)")
                #expect(reply["changes"]?.arrayValue?.count == 1 && reply["generation"] == 1, "\(reply)")
            }
            #expect(try await board.script(sums).output == before)
            #expect(try await agent.get("player/volume") == 60)
            #expect(try await agent.status().generation == 1)
            for words in [
                ["set", "player/volume=101"], ["set", "player/volum=1"], ["unset", "player/volum"],
                ["add", "player/volume", "1"], ["set", "player/volume=1", "--expect", "7"],
            ] {
                let real = try await board.script(#"exec "$CLEAT" "$@""#, words)
                let checked = try await board.script(#"exec "$CLEAT" "$@" --check"#, words)
                #expect(real.status != 0 && checked.status == real.status, "\(checked)")
                #expect(checked.errorText == real.errorText && checked.output.isEmpty, "\(checked)")
            }
            // The id of a check is not used up.
            let done = try await board.change("set", "player/volume=70", "--id", "one")
            #expect(done.state == .confirmed && done.generation == 2 && done.id == "one", "\(done)")
            try await board.eventually("the change was told") { collector.words(.setting) == ["set player/volume"] }
        }
    }

    @Test("A reset restores factory data and defaults of a group, or of all, in one transaction")
    func reset() async throws {
        try await Board.with { board in
            _ = try prepare(board)
            let agent = try await board.start()
            try await agent.set([
                "player/volume": 60, "player/tags": ["a"], "system/hostname": "mine",
                "network/interfaces/eth0/mtu": 1_400,
            ])
            #expect(try await board.cleat("set", "--volatile", "player/volume=70").status == 0)
            #expect(try await board.cleat("set", "--volatile", "time/ntp/enabled=false").status == 0)
            let some = try await board.change("reset", "player", "--comment", "quiet", "--id", "r")
            #expect(some.state == .confirmed && some.generation == 2 && some.id == "r", "\(some)")
            let volume = try #require(some.changes.first { $0.path == "player/volume" && $0.old == 60 }, "\(some)")
            #expect(volume.new == nil && volume.inForce?.value == 50 && volume.inForce?.origin == .factory, "\(some)")
            #expect(try await agent.get("player/volume") == 50)
            #expect(try await agent.get("player/tags") == ["new"])
            #expect(try await agent.get("system/hostname") == "mine")
            #expect(try await agent.get("time/ntp/enabled") == false)
            let again = try await board.cleat("reset", "player", "--id", "r")
            #expect(again.status == 0 && again.output.contains("generation 2"), "\(again)")
            #expect(try await board.cleat("reset", "player").output == "nothing changed\n")

            let unasked = try await board.cleat("reset")
            #expect(unasked.status == 64 && unasked.errorText.contains("--yes"), "\(unasked)")
            let unknown = try await board.refusal("reset", "playr")
            #expect(unknown.status == 65 && unknown.code == "UnknownSetting", "\(unknown)")
            #expect(unknown.parameters["path"] == "playr" && unknown.message.contains("player"), "\(unknown)")
            #expect(try await agent.status().generation == 2)

            let all = try await board.cleat("reset", "--yes", "--comment", "factory reset")
            #expect(all.status == 0 && all.output.contains("generation 3 "), "\(all)")
            #expect(try await agent.get("system/hostname") == "serial-0042")
            #expect(try await agent.get("time/ntp/enabled") == nil)
            #expect(try await agent.get("network/interfaces") == nil)
            let log = try await agent.call(SettingsInterface.Log.self, .init(limit: 1))
            #expect(log.generations.first?.comment == "factory reset" && log.generations.first?.number == 3)
            #expect(
                try await board.cleat("list", "--output", "json-lines").lines.allSatisfy {
                    !$0.contains(#""origin":"committed""#) && !$0.contains(#""origin":"volatile""#)
                })
            // Where only volatile values go, no generation is made.
            #expect(try await board.cleat("set", "--volatile", "player/volume=70").status == 0)
            let passing = try await board.change("reset", "--yes")
            #expect(passing.state == .confirmed && passing.volatile == true, "\(passing)")
            #expect(try await agent.status().generation == 3)
            // The history still knows what there was.
            #expect(try await board.cleat("diff", "1", "3").output.contains("system/hostname = mine"))
            try await agent.stop()
            let second = try await board.start()
            #expect(try await second.get("system/hostname") == "serial-0042")
            #expect(try await second.get("player/volume") == 50)
        }
    }
}
