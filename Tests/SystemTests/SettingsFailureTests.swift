import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

/// Tests of a service with files that it may not read, and with a failing store, with the real programs.
@Suite("Settings if the system refuses an operation", .serialized)
struct SettingsFailureTests {
    private static func schema(_ name: String) -> String {
        #"{ "type": "object", "properties": { "\#(name)": { "type": "integer", "default": 1 } } }"#
    }

    /// Starts a service that does not run as root, in its own directory.
    private static func unprivileged(_ board: Board) async throws -> RunningAgent.Options {
        guard Machine.isRoot else { return .init() }
        let prepared = try await board.script(
            #"""
            chmod 755 "$D" && cp "$CLEATD" "$D/cleatd" && chmod 755 "$D/cleatd"
            mkdir -p "$D/run" && chown -R 65534:65534 "$D/state" "$D/run" "$D/etc" && chown 65534 "$D"/notify.* 2>/dev/null
            :
            """#)
        try #require(prepared.status == 0, "\(prepared)")
        return .init(
            preparation: """
                chmod 777 "$NOTIFY_SOCKET"
                exec setpriv --reuid=65534 --regid=65534 --clear-groups "\(board.directory.text)/cleatd" "$@"
                """)
    }

    @Test(
        "Files that an unprivileged service may not read are reported by name; the others are in force",
        .enabled(if: Machine.canStartUnprivileged, Machine.unprivilegedReason))
    func unreadable() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try SystemCalls.makeDirectory(board.state, mode: 0o700)
            let schema = try board.write(vendor: "schema.d/10-closed.json", Self.schema("closed"))
            let defaults = try board.write(vendor: "defaults.d/10-closed.json5", "{ open: 3 }")
            let locks = try board.write(
                vendor: "locks.d/10-closed.json5", "{ locks: [ { path: 'open', layer: 'vendor' } ] }")
            try board.write(vendor: "schema.d/20-open.json", Self.schema("open"))
            try board.write(vendor: "defaults.d/20-open.json5", "{ open: 4 }")
            let closed = [schema, defaults, locks]
            for file in closed { try SystemCalls.changeMode(file, 0o000) }
            let agent = try await board.start(try await Self.unprivileged(board))
            #expect(try await agent.get("open") == 4)
            try await agent.set(["open": 5])
            #expect(try await agent.get("open") == 5)
            #expect(
                try await agent.refusal("dev.cleat.Settings.Get", ["path": "closed"]).name.hasSuffix("UnknownSetting"))
            let findings = try await agent.findings()
            #expect(findings.map(\.kind) == [.refusedFile, .refusedFile, .refusedFile], "\(findings)")
            #expect(Set(findings.map(\.subject)) == Set(closed), "\(findings)")
            #expect(findings.allSatisfy { $0.remedy.contains("cleat reload") }, "\(findings)")
            #expect(try await agent.status().findings == 3)
            let doctor = try await board.cleat("doctor")
            for file in closed { #expect(doctor.status == 1 && doctor.output.contains(file), "\(doctor)") }

            for file in closed { try SystemCalls.changeMode(file, 0o644) }
            try await agent.reload()
            #expect(try await agent.get("closed") == 1)
            // The lock pins it to the vendor's layer now.
            #expect(try await agent.get("open") == 4)
            #expect(try await agent.findings().map(\.kind) == [.locked])

            // What was read once holds on while it cannot be read.
            for file in closed { try SystemCalls.changeMode(file, 0o000) }
            try await agent.reload()
            #expect(try await agent.get("closed") == 1)
            #expect(try await agent.get("open") == 4)
            let later = try await agent.findings().filter { $0.kind == .refusedFile }
            #expect(later.count == 3)
            let log = try await agent.stop().outputText
            for file in closed { #expect(log.contains(file), "\(log)") }
        }
    }

    @Test(
        "A directory of schemas that may not be read is reported, and the service serves the rest",
        .enabled(if: Machine.canStartUnprivileged, Machine.unprivilegedReason))
    func unreadableDirectory() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            try SystemCalls.makeDirectory(board.state, mode: 0o700)
            try board.write(vendor: "schema.d/10-closed.json", Self.schema("closed"))
            try board.write(vendor: "defaults.d/20-open.json5", "{ agent: { history: { generations: 50 } } }")
            let directory = board.root + "/usr/lib/cleat/schema.d"
            let options = try await Self.unprivileged(board)
            try SystemCalls.changeMode(directory, 0o000)
            let agent = try await board.start(options)
            #expect(try await agent.get("agent/history/generations") == 50)
            let findings = try await agent.findings()
            #expect(findings.map(\.subject) == [directory] && findings.map(\.kind) == [.refusedFile], "\(findings)")
            #expect(findings.first?.message.contains("\(Errno.permissionDenied)") == true, "\(findings)")
            try SystemCalls.changeMode(directory, 0o755)
            try await agent.reload()
            #expect(try await agent.get("closed") == 1)
            #expect(try await agent.findings().isEmpty)
        }
    }

    @Test(
        "A reset of both layers that the store cannot take leaves both as they were",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func mixedReset() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(
                "mkdir $D/state; mount -t tmpfs -o size=16m,mode=700 none $D/state")
            let first = try await board.start(space.options)
            // Unsetting them writes some 700 KB of history, and as much again for the remaining ones.
            let addresses = (0..<64).map { JSONValue.string("2001:db8:1111:2222:3333:4444:5555:\(1_000 + $0)/64") }
            for call in 0..<4 {
                let changes = (0..<250).map { number -> JSONValue in
                    [
                        "path": .string("network/interfaces/e\(call)x\(number)/addresses"), "value": .array(addresses),
                    ]
                }
                try await first.call("dev.cleat.Settings.Set", ["changes": .array(changes)])
            }
            try await first.set(["system/hostname": "stored"])
            #expect(
                try await board.cleat(
                    "set", "--volatile", "system/hostname=passing", "time/ntp/enabled=false", "--id", "v"
                )
                .status == 0)
            let before = try board.directory.read("run/volatile.json")
            let generation = try await first.status().generation
            // A log that was used up to here is as long as it gets before the next copy of it.
            try await first.stop()
            let second = try await board.start(space.options)
            try await space.script("dd if=/dev/zero of=$D/state/filler bs=4k 2>/dev/null || true")

            let refused = try await second.refusal("dev.cleat.Settings.Reset", ["id": "r"])
            #expect(refused.name == "dev.cleat.Settings.StoreFailed", "\(refused)")
            #expect(refused.parameters["code"] == "disk_full", "\(refused)")
            func isAsItWas(_ agent: RunningAgent) async throws {
                #expect(try await agent.get("system/hostname") == "passing")
                #expect(try await agent.get("time/ntp/enabled") == false)
                #expect(try await agent.get("network/interfaces/e3x249/addresses") == .array(addresses))
                #expect(try await agent.status().generation == generation)
                #expect(try board.directory.read("run/volatile.json") == before)
            }
            try await isAsItWas(second)
            try await second.stop(.kill)
            let third = try await board.start(space.options)
            try await isAsItWas(third)

            try await space.script("rm $D/state/filler")
            // The id of the reset that failed is free.
            let reset = try await third.call("dev.cleat.Settings.Reset", ["id": "r"])
            #expect(
                reset["state"] == "confirmed" && reset["generation"] == .integer(generation + 1),
                "\(reset["state"] as Any)")
            #expect(try await third.get("system/hostname") == nil)
            #expect(try await third.get("time/ntp/enabled") == nil)
            #expect(try await third.status().settings == 0)
            // What was volatile before is known by its id still, and that it is not so any more.
            let again = try await board.cleat(
                "set", "--volatile", "system/hostname=passing", "time/ntp/enabled=false", "--id", "v")
            #expect(again.status == 75, "\(again)")
        }
    }
}
