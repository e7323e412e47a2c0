import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// The real `cleat` against the real `cleatd`.
@Suite("Command line, end to end", .serialized)
struct CommandLineEndToEndTests {
    private func json(_ finished: Board.Finished) throws -> JSONObject {
        #expect(finished.status == 0, "\(finished.errorText)")
        return try #require(JSONReader.read(finished.output).objectValue)
    }

    @Test("A long list is printed in parts, with the rows that its JSON has")
    func longList() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let settings = (0..<1_200).map { ("network/interfaces/x\($0)/mtu", JSONValue.integer(1_400)) }
            _ = try await agent.set(Dictionary(uniqueKeysWithValues: settings))
            let long = try await board.cleat("list", "network", "--only-set")
            let all = try await board.cleat("list", "network", "--only-set", "--output", "json-lines")
            #expect(long.lines.count == all.lines.count + 1 && all.lines.count == 1_200)
            for (row, line) in zip(long.lines.dropFirst(), all.lines) {
                let path = try JSONReader.read(line).objectValue?["path"]?.stringValue ?? ""
                #expect(row.hasPrefix(path + " "))
            }
            let document = try JSONReader.read(await board.cleat("list", "network", "--output", "json").output)
            #expect(document.objectValue?["settings"]?.arrayValue?.count ?? 0 > 1_200)
        }
    }

    @Test("Settings: set, get, list, describe, log, diff, unset")
    func settings() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            // It is unset: the system decides its value.
            let unset = try await board.cleat("get", "system/hostname")
            #expect(unset.status == 1 && unset.output.isEmpty, "\(unset)")
            #expect(unset.errorText.contains("system/hostname"))
            #expect(try await board.cleat("get", "system/hostname", "--default").output == "board\n")
            #expect(try await board.cleat("get", "agent/log/level").output == "info\n")
            let told = try json(await board.cleat("get", "system/hostname", "--output", "json"))["setting"]?.objectValue
            #expect(told?["in_force"] == false && told?["value"] == nil, "\(told ?? [:])")

            let set = try await board.cleat(
                "set", "system/hostname=pump-7", "network/interfaces/eth0/mtu=1400",
                "time/ntp/servers=['a.example', 'b.example']",
                "--id", "first", "--comment", "the first one")
            #expect(set.status == 0, "\(set.errorText)")
            #expect(["system/hostname: ", "generation 1 ", "first"].allSatisfy(set.output.contains), "\(set)")
            #expect(set.lines.contains { $0.hasPrefix("wrote /etc/hostname") }, "\(set)")
            #expect(try await agent.get("time/ntp/servers") == ["a.example", "b.example"])
            #expect(try await board.cleat("get", "system/hostname").output == "pump-7\n")
            let tree = try await board.cleat("get", "network/interfaces/eth0")
            #expect(tree.lines.contains("network/interfaces/eth0/mtu = 1400"), "\(tree.output)")

            let object = try json(await board.cleat("get", "system/hostname", "--output", "json"))
            #expect(object["setting"]?.objectValue?["value"] == "pump-7")
            #expect(object["generation"] == 1)
            let list = try await board.cleat("list", "system")
            #expect(
                list.lines.contains { $0.hasPrefix("system/hostname") && $0.hasSuffix("committed") }, "\(list.output)")
            #expect(
                list.lines.contains { $0.hasPrefix("system/timezone") && $0.contains("(unset)") }, "\(list.output)")
            let lines = try await board.cleat("list", "--output", "json-lines")
            let paths = try lines.lines.map { try JSONReader.read($0).objectValue?["path"]?.stringValue ?? "" }
            #expect(paths.contains("agent/log/level"))
            #expect(paths == paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })

            let described = try await board.cleat("describe", "network")
            #expect(described.output.contains("network/interfaces/{name}/mtu  integer"), "\(described.output)")
            #expect(described.output.contains("maximum: 65535"))

            // A host may be called 42: what is meant follows from the schema.
            #expect(try await board.cleat("set", "system/hostname=42").status == 0)
            #expect(try await agent.get("system/hostname") == "42")
            let former = try await board.cleat("unset", "system/hostname", "network/interfaces/eth0")
            #expect(former.status == 0, "\(former.errorText)")
            #expect(try await board.cleat("get", "system/hostname").status == 1)

            let log = try await board.cleat("log")
            #expect(log.lines.count { $0.hasPrefix("#") } == 3, "\(log.output)")
            #expect(try await agent.generation(1)?.comment == "the first one")
            #expect(log.output.contains("system/hostname: \"42\" -> unset"))
            let diff = try await board.cleat("diff", "1", "3")
            #expect(diff.lines.first == "#1 -> #3", "\(diff.output)")
            #expect(diff.lines.contains("- system/hostname = pump-7"), "\(diff.output)")
            let last = try json(await board.cleat("diff", "--output", "json"))
            #expect(last["to"] == 3 && last["changes"]?.arrayValue?.count == 2, "\(last)")
        }
    }

    @Test(
        "Failures end with their status and name the remedy",
        arguments: [
            (["get"], 64, ""), (["get", "system/nothing"], 65, "system/nothing"), (["get", "/"], 65, ""),
            (["set", "network/interfaces/eth0/mtu=1"], 65, "mtu"), (["set", "system/hostname=-"], 65, "hostname"),
            (["set", "system/hostname=a", "--expect", "0000:7"], 75, ""),
            (["set", "system/hostname=z", "--id", "used"], 75, "used"), (["diff", "90", "91"], 65, "90"),
            (["hook", "test", "nothing"], 65, "nothing"),
            (["--socket", "/nowhere/socket", "status"], 69, "/nowhere/socket"),
            (["set", "system/hostname=y", "--id", "used"], 0, ""),
        ] as [([String], Int32, String)])
    func statuses(arguments: [String], status: Int32, names: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "y"], id: "used")
            let text = try await board.script(#"exec "$CLEAT" "$@""#, arguments)
            #expect(text.status == status, "\(text)")
            guard status != 0 else { return }
            #expect(text.output.isEmpty && text.errorText.contains(names), "\(text)")
            let json = try await board.script(#"exec "$CLEAT" "$@""#, arguments + ["--output", "json"])
            #expect(json.status == status)
            let object = try #require(JSONReader.read(json.errorText).objectValue, "\(json.errorText)")
            #expect(object["exit_status"] == .integer(Int64(status)))
            #expect(object["layer"]?.stringValue?.isEmpty == false)
        }
    }

    @Test("After the service has ended, clients report that no service runs")
    func gone() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            #expect(try await board.cleat("status").status == 0)
            try await agent.stop(.kill)
            // The socket of a service that was killed is still there.
            #expect(SystemCalls.exists(board.socket))
            let result = try await board.cleat("status")
            #expect(result.status == 69)
            #expect(result.errorText.contains(board.socket))
        }
    }

    @Test("Status, devices and links show this machine")
    func machine() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let pid = try agent.pid
            let status = try await board.cleat("status")
            #expect(status.status == 0, "\(status.errorText)")
            #expect(
                status.lines.contains { $0.hasPrefix("process") && $0.contains("\(pid) ") },
                "\(status.output)")
            #expect(status.lines.contains { $0.hasPrefix("state") && $0.hasSuffix(board.state) })
            #expect(status.lines.contains { $0.hasPrefix("root") && $0.contains(board.root) })
            let object = try json(await board.cleat("status", "--output", "json"))
            #expect(object["pid"] == .integer(Int64(pid)))
            #expect(
                object["observers"]?.arrayValue?.map { $0.objectValue?["name"] } == [
                    "devices", "links", "power supplies", "inbox", "programs",
                ])

            let links = try await board.cleat("links")
            #expect(links.lines.contains { $0.hasPrefix("lo ") && $0.contains("127.0.0.1/8") }, "\(links.output)")
            let devices = try await board.cleat("devices", "--output", "json-lines")
            #expect(devices.status == 0)
            let paths = try devices.lines.map { try JSONReader.read($0).objectValue?["devpath"]?.stringValue }
            #expect(paths.contains("/devices/virtual/mem/null"))
        }
    }

    @Test("Hooks are listed with their counters and tested on an example event")
    func hooks() async throws {
        try await Board.with { board in
            try board.write(
                hook: "shout",
                #"{ match: { source: "link", action: "up" }, run: ["/bin/sh", "-c", "echo $CLEAT_SUBJECT is up"] }"#)
            try board.write(hook: "fails", #"{ match: { source: "agent" }, run: ["/bin/false"] }"#)
            try board.write(hook: "broken", "{ match: { source: 7 } }")
            _ = try await board.start()
            let list = try await board.cleat("hook", "list")
            #expect(list.lines.contains { $0.hasPrefix("shout") && $0.contains("link up") }, "\(list.output)")
            #expect(list.lines.contains { $0.contains("broken.json5:1:") }, "\(list.output)")
            let dry = try await board.cleat("hook", "test", "shout", "--subject", "eth7")
            #expect(dry.status == 0 && dry.output.contains("CLEAT_SUBJECT=eth7"), "\(dry)")
            #expect(!dry.output.contains("eth7 is up"), "\(dry)")
            let missed = try await board.cleat("hook", "test", "shout", "--action", "down")
            #expect(missed.status == 1 && missed.errorText.contains("down"), "\(missed)")
            let unmatched = try await board.cleat("hook", "run", "shout", "--action", "down")
            #expect(unmatched.status == 1 && unmatched.output.isEmpty, "\(unmatched)")
            #expect(unmatched.errorText.contains("--force"), "\(unmatched)")
            let forced = try await board.cleat("hook", "run", "shout", "--action", "down", "--force")
            #expect(forced.status == 0 && forced.output.contains(" is up"), "\(forced)")
            let test = try await board.cleat("hook", "run", "shout", "--subject", "eth7")
            #expect(test.status == 0, "\(test.errorText)")
            #expect(test.output.contains("eth7 is up") && test.output.contains("link up eth7"), "\(test.output)")
            #expect(try await board.cleat("hook", "run", "fails").status == 1)
            let object = try json(await board.cleat("hook", "test", "shout", "--output", "json"))
            #expect(object["matches"] == true)
        }
    }

    @Test("Watch and events write each line as it arrives, and end after the requested number")
    func following() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let instance = try await agent.status().instance
            @Sendable func written(_ name: String) throws -> [String] {
                guard SystemCalls.exists(board.directory.appending(name)) else { return [] }
                return try board.directory.read(name).split(separator: "\n").map(String.init)
            }
            async let watch = board.script(#"exec "$CLEAT" watch system -n 2 >$D/watched"#)
            async let events = board.script(
                #"exec "$CLEAT" events --source setting --instance $1 --after 0 -n 2 --output json-lines >$D/events"#,
                [instance])
            try await board.eventually("the present was written") {
                try written("watched").contains { $0.hasPrefix("#0 system/hostname = unset") }
            }
            try await agent.set(["system/hostname": "pump-7"])
            try await board.eventually("the change was written", showing: "\((try? written("watched")) ?? [])") {
                try written("watched").contains("#1 system/hostname = pump-7") && !written("events").isEmpty
            }
            try await agent.set(["system/hostname": nil])
            let (watched, told) = try await (watch, events)
            #expect(watched.status == 0, "\(watched.errorText)")
            #expect(try written("watched").last?.hasPrefix("#2 system/hostname") == true)
            #expect(told.status == 0, "\(told.errorText)")
            let actions = try written("events").compactMap {
                try JSONReader.read($0).objectValue?["event"]?.objectValue?["action"]?.stringValue
            }
            #expect(actions == ["set", "unset"])
        }
    }

    @Test("A script that waits for an event gets one that was published before")
    func eventsFromTheBeginning() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump-7"])
            let instance = try await agent.status().instance
            let events = try await board.cleat(
                "events", "--source", "setting", "--instance", instance, "--after", "0", "--count", "1")
            #expect(events.output.contains("setting set system/hostname"), "\(events)")
        }
    }

    @Test("The programs name their version, and completions know the paths of this board")
    func completions() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["network/interfaces/wlan7/mtu": 1_400])
            let version = try await agent.status().version
            #expect(try await board.cleat("--version").output.contains(version))
            #expect(try await board.script("$CLEATD --version").output == "cleatd \(version)\n")
            let usage = try await board.script("$CLEATD --nonsense")
            #expect(usage.status == 64 && usage.errorText.contains("--nonsense"))
            let complete = try await board.script(#""$CLEAT" ---completion get -- positional@0 1 12 get network/int"#)
            #expect(complete.output.contains("network/interfaces/wlan7/mtu"), "\(complete)")
        }
    }

    @Test("A file is appended to exactly, although the service is killed meanwhile, and a lost reply appends once")
    func appends() async throws {
        try await Board.with { board in
            var agent = try await board.start()
            let bytes = Files.bytes(32 << 20, seed: 9)
            let file = try FileDescriptor.open(
                board.directory.path.appending("new.log"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
            _ = try file.closeAfter { try file.writeAll(bytes) }
            try await agent.put(Array("old ".utf8), at: "log")
            let log = board.state + "/files/documents/log"
            let appending = board.loop.task {
                try await board.script("exec $CLEAT file append documents/log --file $D/new.log")
            }
            try await board.eventually("pieces were appended") {
                try await board.script(#"test "$(stat -c %s "$1")" -gt 4"#, [log]).status == 0
            }
            try await agent.stop(.kill)
            agent = try await board.start()
            let done = try await appending.value
            #expect(done.status == 0 && done.errorText.contains("retrying"), "\(done)")
            let same = try await board.script(#"{ printf 'old '; cat $D/new.log; } | cmp - "$1""#, [log])
            #expect(same.status == 0, "\(same)")
            // A call that is repeated appends nothing.
            let size = Int64(bytes.count) + 4
            let call: JSONObject = ["area": "documents", "path": "log", "offset": .integer(size), "data": "eA=="]
            #expect(try await agent.call("dev.cleat.Files.Append", call)["size"] == .integer(size + 1))
            #expect(try await agent.fileError("Append", call).kind == .changed)
            #expect(try await board.script(#"stat -c %s "$1""#, [log]).output == "\(size + 1)\n")
            let areas = try await agent.call(FilesInterface.Areas.self, .init()).areas
            #expect(areas.first?.bytes == size + 1 && areas.first?.files == 1)
        }
    }

    @Test("A change that is repeated after its trial was reverted ends with status 10", arguments: ["set", "unset"])
    func repeatedAfterItsTrial(verb: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump-7"])
            let change = verb == "set" ? "system/hostname=pump-8" : "system/hostname"
            let first = try await board.cleat(verb, change, "--id", "t1", "--confirm", "1s")
            #expect(first.status == 0, "\(first)")
            try await board.eventually("it was reverted") {
                let isOver = try await agent.status().trial == nil
                return try await agent.get("system/hostname") == "pump-7" && isOver
            }
            for words in [[verb, change, "--id", "t1"], [verb, "--id=t1", change, "--output", "json"]] {
                let again = try await board.cleat(words)
                #expect(again.status == 10, "\(again)")
            }
        }
    }
}
