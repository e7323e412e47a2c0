import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import Testing

@Suite("Schemas, defaults and locks in files")
struct SettingsFilesTests {
    private static let player = """
        { "type": "object", "properties": { "player": { "type": "object", "properties": {
          "volume": { "type": "integer", "minimum": 0, "maximum": 100, "default": 30, "title": "Volume" },
          "source": { "type": "string", "enum": ["radio", "disc"] } } } } }
        """

    private static func schema(_ name: String) -> String {
        #"{ "type": "object", "properties": { "\#(name)": { "type": "integer" } } }"#
    }

    @Test("A broken file among good ones is refused by place and keyword; the good ones are in force")
    func broken() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/10-player.json", Self.player)
            let bad = try board.write(
                admin: "schema.d/20-bad.json",
                "{ \"type\": \"object\",\n  \"properties\": { \"x\": { \"minimum\": \"low\" } } }")
            try board.write(vendor: "schema.d/30-late.json", Self.schema("late"))
            let agent = try await board.start()
            #expect(try await agent.get("player/volume") == 30)
            try await agent.set(["player/volume": 40, "late": 1])
            #expect(try await agent.refusal("dev.cleat.Settings.Get", ["path": "x"]).name.hasSuffix("UnknownSetting"))
            let refused = try await agent.refusal(
                SettingsInterface.Set.name, ["changes": [["path": "player/volume", "value": 101]]])
            #expect("\(refused)".contains("100"))

            let findings = try await agent.findings()
            #expect(findings.count == 1 && findings[0].kind == .refusedFile && findings[0].subject == bad)
            #expect(findings[0].line == 2 && findings[0].message.contains("“minimum”"), "\(findings)")
            #expect(try await agent.status().findings == 1)
            let shown = try await board.cleat("status", "--output", "json")
            #expect(try JSONReader.read(shown.output)["findings"] == 1, "\(shown)")
            let log = try await agent.stop().outputText
            #expect(log.contains("\(bad):2:"), "\(log)")
        }
    }

    @Test("Of two files that define one path the later is refused, naming both")
    func conflict() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let first = try board.write(vendor: "schema.d/10-a.json", Self.player)
            let second = try board.write(admin: "schema.d/20-b.json", Self.player)
            let agent = try await board.start()
            let findings = try await agent.findings()
            #expect(!findings.isEmpty && findings.allSatisfy { $0.subject == second && $0.message.contains(first) })
            #expect(try await agent.get("player/volume") == 30)
        }
    }

    @Test("The administrator replaces a vendor's file by one of its name, and masks it by an empty one")
    func layers() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/10-a.json", Self.schema("vendor"))
            try board.write(admin: "schema.d/10-a.json", Self.schema("admin"))
            try board.write(vendor: "schema.d/20-b.json", Self.schema("masked"))
            try board.write(admin: "schema.d/20-b.json", "")
            _ = try board.write(vendor: "schema.d/30-c.json", Self.schema("linked"))
            _ = try await board.script("ln -s /dev/null $D/etc/schema.d/30-c.json")
            let agent = try await board.start()
            let reply = try await agent.call(SettingsInterface.Describe.self, .init(prefix: nil))
            let paths = Set(reply.descriptions.map(\.path))
            #expect(paths.contains("admin") && paths.isDisjoint(with: ["vendor", "masked", "linked"]))
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test("A reload adds a schema, whose stored values are restored; without it they are kept, inactive and listed")
    func reload() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let agent = try await board.start()
            try board.write(admin: "schema.d/player.json", Self.player)
            try await agent.reload()
            try await agent.set(["player/volume": 40, "player/source": "disc"])

            try SystemCalls.remove(board.config + "/schema.d/player.json")
            try await agent.reload()
            #expect(try await agent.status().inactive == ["player/source", "player/volume"])
            let findings = try await agent.findings()
            #expect(findings.map(\.subject) == ["player/source", "player/volume"])
            #expect(findings.allSatisfy { $0.kind == .unknownSetting })
            // They do not block other changes.
            try await agent.set(["system/hostname": "pump-7"])

            try board.write(admin: "schema.d/player.json", Self.player)
            try await agent.reload()
            #expect(try await agent.get("player/volume") == 40)
            #expect(try await agent.findings().isEmpty)

            // A file that breaks keeps what it said before, and says so.
            try board.write(admin: "schema.d/player.json", "{ \"type\": \"object\", \"propertys\": {} }")
            try await agent.reload()
            #expect(try await agent.get("player/volume") == 40)
            let broken = try await agent.findings()
            #expect(broken.count == 1 && broken[0].line == 1, "\(broken)")
        }
    }

    @Test("After a downgrade the values that only the newer schema defines are kept, and are restored with it")
    func downgrade() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/player.json", Self.player)
            let first = try await board.start()
            try await first.set(["player/volume": 90, "player/source": "disc"])
            try await first.stop()
            // The older release has no source, and no volume above 50.
            try board.write(
                vendor: "schema.d/player.json",
                #"{ "type": "object", "properties": { "player": { "type": "object", "properties": { "volume": { "type": "integer", "maximum": 50, "default": 20 } } } } }"#
            )
            let second = try await board.start()
            #expect(try await second.get("player/volume") == 20)
            #expect(
                try await second.findings().map { "\($0.kind.rawValue) \($0.subject)" } == [
                    "unknown_setting player/source", "refused_value player/volume",
                ])
            try await second.set(["system/hostname": "pump-7"])
            try await second.stop()
            try board.write(vendor: "schema.d/player.json", Self.player)
            let third = try await board.start()
            #expect(try await third.get("player/volume") == 90)
            #expect(try await third.get("player/source") == "disc")
            #expect(try await third.findings().isEmpty)
        }
    }

    @Test("Defaults, factory data and locks are in force from the start, and read again on a reload")
    func values() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(vendor: "schema.d/player.json", Self.player)
            let defaults = try board.write(
                vendor: "defaults.d/board.json5", "{ player: { volume: 45,\n  source: 'tape' } }")
            try SystemCalls.makeDirectory(board.state, mode: 0o700)
            try board.directory.write("{ system: { hostname: 'serial-0042' } }", to: "state/factory.json5")
            let lock = try board.write(
                admin: "locks.d/name.json5", "{ locks: [ { path: 'system/hostname', layer: 'factory' } ] }")
            let agent = try await board.start()
            func origin(_ path: String) async throws -> SettingLayer {
                try await agent.call(SettingsInterface.Get.self, .init(path: path)).setting.origin
            }
            #expect(try await agent.get("player/volume") == 45)
            #expect(try await origin("player/volume") == .vendor)
            #expect(try await agent.get("system/hostname") == "serial-0042")
            #expect(try await origin("system/hostname") == .factory)
            let locked = try await agent.refusal(
                SettingsInterface.Set.name, ["changes": [["path": "system/hostname", "value": "x"]]])
            guard case .settingLocked(let refused) = APIError(locked) else { throw Failure("\(locked)") }
            #expect(refused.map(\.path) == ["system/hostname"] && refused[0].code == "locked")
            #expect(refused[0].reason.contains(lock), "\(refused)")
            let findings = try await agent.findings()
            #expect(findings.count == 1 && findings[0].kind == .refusedDefault && findings[0].subject == defaults)
            #expect(findings[0].line == 2 && findings[0].column == 3, "\(findings)")

            try SystemCalls.remove(board.config + "/locks.d/name.json5")
            try board.write(vendor: "defaults.d/board.json5", "{ player: { volume: 50 } }")
            try await agent.reload()
            #expect(try await agent.get("player/volume") == 50)
            try await agent.set(["system/hostname": "x"])
            #expect(try await agent.findings().isEmpty)
            // A lock that comes later takes what is committed out of force, and says so.
            try board.write(admin: "locks.d/name.json5", "{ locks: [ { path: '/', layer: 'factory' } ] }")
            try await agent.reload()
            #expect(try await agent.get("system/hostname") == "serial-0042")
            #expect(try await agent.findings().map(\.kind) == [.locked])
        }
    }

    @Test("The number of findings follows commits and reloads")
    func count() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try board.write(
                vendor: "schema.d/old.json",
                #"{ "type": "object", "properties": { "old": { "type": "integer", "deprecated": true } } }"#)
            let agent = try await board.start()
            func isCounted(_ count: Int) async throws -> Bool {
                let findings = try await agent.findings().count
                // Asked twice: the second answer is the one that is kept.
                let first = try await agent.status().findings
                let second = try await agent.status().findings
                return first == count && second == count && findings == count
            }
            #expect(try await isCounted(0))
            try await agent.set(["old": 1, "system/hostname": "x"])
            #expect(try await isCounted(1))
            try board.write(admin: "locks.d/name.json5", "{ locks: [ { path: 'system/hostname', layer: 'factory' } ] }")
            try await agent.reload()
            #expect(try await isCounted(2))
            try await agent.set(["old": nil])
            #expect(try await isCounted(1))
            // A stored value that its schema refuses from now on.
            try await agent.set(["old": 1])
            try board.write(
                vendor: "schema.d/old.json",
                #"{ "type": "object", "properties": { "old": { "type": "integer", "maximum": 0 } } }"#)
            try await agent.reload()
            #expect(try await isCounted(2))
            #expect(try await agent.status().inactive == ["old"])
            try SystemCalls.remove(board.config + "/locks.d/name.json5")
            try await agent.reload()
            #expect(try await isCounted(1))
            try await agent.set(["old": 0])
            #expect(try await isCounted(0))
            #expect(try await agent.status().inactive == [])
        }
    }

    @Test("The configuration may name the file with factory data, below the root")
    func factory() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try SystemCalls.makeDirectory(board.root + "/factory")
            try board.directory.write("{ system: { hostname: 'serial-0042' } }", to: "root/factory/board.json5")
            try board.write(admin: "cleatd.json5", "{ factory: '/factory/board.json5' }")
            let agent = try await board.start()
            #expect(try await agent.get("system/hostname") == "serial-0042")
            try board.write(admin: "cleatd.json5", "{ factory: 'board.json5' }")
            try await agent.reload()
            #expect(try await agent.status().configProblem?.contains("\(board.config)/cleatd.json5") == true)
            let findings = try await agent.findings()
            #expect(findings.map(\.kind) == [.configuration] && findings.first?.line == 1, "\(findings)")
            #expect(try await agent.get("system/hostname") == "serial-0042")
        }
    }

    @Test("Hostile files neither hang nor end the service")
    func hostile() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let made = try await board.script(
                """
                cd $D/etc/schema.d && mkfifo 1.json && ln -s /dev/zero 2.json && mkdir 3.json
                head -c 10000000 /dev/zero | tr '\\0' '[' >4.json
                head -c 100000 /dev/urandom >5.json
                printf '{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}' >6.json
                printf '{"type":"object","properties":{"b":{"type":"string","pattern":"((((a*)*)*)*){1,4000}"}}}' >7.json
                printf '{"type":"object","properties":{"c":{"type":"string"}}}' >8.json; chmod 666 8.json
                mkfifo $D/root/usr/lib/cleat/defaults.d/1.json5 $D/root/usr/lib/cleat/locks.d/1.json5
                """)
            try #require(made.status == 0, "\(made.errorText)")
            try board.write(vendor: "schema.d/9.json", Self.schema("good"))
            let agent = try await board.start()
            try await agent.set(["good": 1])
            let subjects = Set(try await agent.findings().compactMap { $0.subject.split(separator: "/").last })
            #expect(
                subjects.isSuperset(of: [
                    "1.json", "2.json", "3.json", "4.json", "5.json", "6.json", "8.json", "1.json5",
                ]), "\(subjects)")
            try await agent.reload()
            #expect(try await agent.get("good") == 1)
        }
    }

    @Test("Schema reports all that is in force in pieces of one text")
    func export() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let many = (0..<3_000).map {
                #""s\#($0)": { "type": "string", "description": "\#(String(repeating: "ü", count: 100))" }"#
            }
            try board.write(
                vendor: "schema.d/many.json",
                #"{ "type": "object", "properties": { "many": { "type": "object", "properties": { \#(many.joined(separator: ", ")) } } } }"#
            )
            let agent = try await board.start()
            var text = ""
            var offset: Int?
            repeat {
                let piece = try await agent.call(SettingsInterface.Schema.self, .init(offset: offset))
                text += piece.text
                offset = piece.next
                if offset == nil { #expect(piece.digest == SHA256.hexadecimal(of: text.utf8)) }
            } while offset != nil
            let connection = try await agent.connect()
            defer { connection.close() }
            let streamed = TextBox()
            try await connection.stream(SettingsInterface.Schema.name, [:]) { reply in
                streamed.append(try SettingsInterface.Schema.Reply(wire: reply).text)
                return true
            }
            #expect(streamed.text == text && text.utf8.count > 600_000)
            let json = try JSONReader.read(text, limits: JSONLimits(size: 8 << 20))
            #expect(json["properties"]?["many"]?["properties"]?["s2999"]?["type"] == "string")
            #expect(json["properties"]?["system"] != nil)
            let refused = try await agent.refusal(SettingsInterface.Schema.name, ["offset": .integer(Int64(1 << 40))])
            #expect(refused.name == "org.varlink.service.InvalidParameter")
        }
    }
}
