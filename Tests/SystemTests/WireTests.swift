import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

@Suite("Settings on the wire", .serialized)
struct WireTests {
    private static let get = "dev.cleat.Settings.Get"
    private static let set = "dev.cleat.Settings.Set"

    private static func change(_ path: String, _ value: JSONValue) -> JSONObject {
        ["changes": [["path": .string(path), "value": value]]]
    }

    @Test("Invalid settings are refused by name, and nothing is written")
    func refusals() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let before = try await agent.status()
            let malformed = [
                "", "/", "/system", "system/", "system//hostname", "system/../system", ".", "system/~2", "a\u{1}b",
                String(repeating: "a", count: 1_025), Array(repeating: "a", count: 17).joined(separator: "/"),
                String(repeating: "a", count: 256) + "/b",
            ]
            for path in malformed {
                let read = try await agent.refusal(Self.get, ["path": .string(path)])
                #expect(read.name == "dev.cleat.Settings.InvalidPath", "\(path): \(read)")
                let write = try await agent.refusal(Self.set, Self.change(path, 1))
                #expect(write.name == "dev.cleat.Settings.InvalidPath", "\(path): \(write)")
                #expect(write.parameters["message"]?.stringValue?.isEmpty == false)
            }
            for path in ["system/nothing", "nothing", "network/interfaces/eth0/nothing"] {
                let read = try await agent.refusal(Self.get, ["path": .string(path)])
                #expect(read.name == "dev.cleat.Settings.UnknownSetting", "\(path): \(read)")
                let write = try await agent.refusal(Self.set, Self.change(path, 1))
                #expect(write.name == "dev.cleat.Settings.UnknownSetting", "\(path): \(write)")
                #expect(write.parameters["path"] == .string(path))
            }
            let values: [(String, JSONValue, String)] = [
                ("network/interfaces/eth0/mtu", "1500", "type"), ("network/interfaces/eth0/mtu", 1.5, "type"),
                ("network/interfaces/eth0/mtu", 1, "range"), ("network/interfaces/eth0/mtu", 4_294_967_296, "range"),
                ("network/interfaces/eth0/dhcp", "yes", "type"), ("system/hostname", 7, "type"),
                ("system/hostname", "-x-", "format"), ("time/ntp/servers", "ntp.example.net", "type"),
                ("agent/log/level", "loud", "enum"), ("network/interfaces/eth0/addresses", ["1.2.3.4/33"], "format"),
            ]
            for (path, value, code) in values {
                let error = try await agent.refusal(Self.set, Self.change(path, value))
                #expect(error.name == "dev.cleat.Settings.InvalidValue")
                let problem = error.parameters["problems"]?.arrayValue?.first?.objectValue
                #expect(problem?["path"]?.stringValue?.hasPrefix(path) == true, "\(error)")
                #expect(problem?["code"]?.stringValue == code, "\(error)")
                #expect(problem?["reason"]?.stringValue?.isEmpty == false)
            }
            // All that is wrong is said at once.
            let error = try await agent.refusal(
                Self.set,
                [
                    "changes": .array(
                        values.prefix(1).map { ["path": .string($0.0), "value": $0.1] }
                            + [["path": "system/hostname", "value": 7], ["path": "system/timezone", "value": "UTC"]])
                ])
            #expect(error.parameters["problems"]?.arrayValue?.count == 2, "\(error)")

            let after = try await agent.status()
            #expect(after.generation == before.generation)
            #expect(after.settings == 0)
        }
    }

    @Test(
        "Parameters are checked against the interface, and one that is not known is named",
        arguments: [
            (get, ["path": "system/hostname", "nonsense": 1], "nonsense"), (get, [:], "path"),
            (get, ["path": 7], "path"),
            (set, ["changes": [["path": "system/hostname", "valeu": 1]]], "changes"),
            (set, ["changes": [], "wait": true], "wait"), ("dev.cleat.Settings.List", ["prefixes": []], "prefixes"),
            ("dev.cleat.Service.Status", ["all": true], "all"),
            ("dev.cleat.Events.Subscribe", ["sources": ["moon"]], "sources"),
            ("dev.cleat.Settings.Log", ["limit": 0], "limit"), ("dev.cleat.Settings.Log", ["limit": -5], "limit"),
        ] as [(String, JSONObject, String)])
    func parameters(method: String, parameters: JSONObject, name: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let connection = try await agent.connect()
            defer { connection.close() }
            do {
                if method.hasSuffix("Subscribe") {
                    try await connection.stream(method, parameters.encoded) { _ in true }
                } else {
                    _ = try await connection.call(method, parameters.encoded)
                }
                Issue.record("\(method) was answered")
            } catch let error as VarlinkClientError {
                #expect(error.remote?.name == "org.varlink.service.InvalidParameter", "\(error)")
                let named = error.remote?.parameters["parameter"]?.stringValue
                #expect(named?.hasPrefix(name) == true, "\(error)")
            }
        }
    }

    @Test("Methods and interfaces that do not exist are refused as the specification says")
    func unknownMethods() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            for (method, error) in [
                ("dev.cleat.Settings.Nothing", "MethodNotFound"), ("dev.cleat.Nothing.Get", "InterfaceNotFound"),
                ("org.varlink.service.Nothing", "MethodNotFound"),
            ] {
                #expect(try await agent.refusal(method).name == "org.varlink.service." + error)
            }
            let description = try await agent.refusal(
                "org.varlink.service.GetInterfaceDescription", ["interface": "no.such"])
            #expect(description.name == "org.varlink.service.InterfaceNotFound")
            // A watch without `more` would have to end at once.
            #expect(try await agent.refusal("dev.cleat.Settings.Watch", ["prefixes": []]).name.hasPrefix("dev.cleat."))
        }
    }

    @Test("Ten thousand changes in one call are refused whole; as many as are allowed are one transaction")
    func manyChanges() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            func changes(_ count: Int) -> JSONObject {
                [
                    "changes": .array(
                        (0..<count).map { ["path": .string("network/interfaces/e\($0)/mtu"), "value": 1_400] })
                ]
            }
            let error = try await agent.refusal(Self.set, changes(10_000))
            #expect(error.name == "dev.cleat.Settings.TooManyChanges", "\(error)")
            #expect(error.parameters["limit"] == 4_096)
            #expect(try await agent.status().generation == 0)
            let reply = try await agent.call(Self.set, changes(4_096))
            #expect(reply["state"] == "confirmed")
            let status = try await agent.status()
            #expect(status.generation == 1)
            #expect(status.settings == 4_096)
        }
    }

    @Test("The expected generation decides, and an id makes a retry safe")
    func conflictAndRetry() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let first = try await agent.set(["system/hostname": "a"], id: "one")
            #expect(first.state == .confirmed && first.generation == 1 && first.id == "one")
            let now = GenerationRef(store: first.store, generation: 1)
            let second = try await agent.set(["system/hostname": "b"], id: "two", expect: now)
            #expect(second.generation == 2)

            // The retry of what has happened is no conflict: it did happen.
            let again = try await agent.set(["system/hostname": "b"], id: "two", expect: now)
            #expect(again.state == .repeated && again.generation == 2)
            for expect in [
                now, GenerationRef(store: "another", generation: 2), .init(store: first.store, generation: 3),
            ] {
                let error = try await agent.refusal(
                    Self.set,
                    [
                        "changes": [["path": "system/hostname", "value": "c"]],
                        "expect": ["store": .string(expect.store), "generation": .integer(expect.generation)],
                    ])
                #expect(error.name == "dev.cleat.Settings.Conflict")
                #expect(error.parameters["generation"] == 2)
                #expect(error.parameters["store"] == .string(first.store))
            }
            let reused = try await agent.refusal(
                Self.set, ["changes": [["path": "system/hostname", "value": "c"]], "id": "one"])
            #expect(reused.name == "dev.cleat.Settings.IdReused")
            #expect(reused.parameters["generation"] == 1)
            #expect(try await agent.get("system/hostname") == "b")

            // All of it holds after a restart.
            try await agent.stop()
            let next = try await board.start()
            let retry = try await next.set(["system/hostname": "b"], id: "two")
            #expect(retry.state == .repeated && retry.generation == 2)
            // It was made, and what became of it is said: who asks again must neither make it twice nor take it for done.
            let undone = try await next.set(["system/hostname": "a"], id: "one")
            let message = undone.overtaken ?? ""
            #expect(undone.state == .repeated && retry.overtaken == nil, "\(undone)")
            #expect(["generation 1", "generation 2"].allSatisfy(message.contains), "\(message)")
            #expect(try await next.get("system/hostname") == "b")
        }
    }

    @Test("Concurrent writers with the same expectation: exactly one of them wins")
    func race() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let start = try await agent.set(["system/hostname": "start"])
            let states = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<16 {
                    group.addTask(executorPreference: board.loop) {
                        do {
                            let expect = GenerationRef(store: start.store, generation: start.generation)
                            return try await agent.set(["system/hostname": .string("h\(number)")], expect: expect)
                                .state.rawValue
                        } catch let error as VarlinkClientError {
                            return error.remote?.name ?? "\(error)"
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(states.count { $0 == "confirmed" } == 1)
            #expect(states.count { $0 == "dev.cleat.Settings.Conflict" } == 15)
            #expect(try await agent.status().generation == 2)
        }
    }

    @Test("A change that changes nothing writes nothing")
    func unchanged() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let first = try await agent.set(["system/hostname": "a", "network/interfaces/eth0/mtu": 1_400])
            try await agent.waitForCopy()
            func written() async throws -> [Int64] {
                [try await agent.counter("store.syncs"), try await agent.counter("store.bytes_written")]
            }
            func files() async throws -> String {
                try await board.script("cd $D/state && stat -c '%n %s %y' * && cat * | md5sum").output
            }
            let (counts, bytes) = (try await written(), try await files())
            for _ in 0..<3 {
                let reply = try await agent.set(["system/hostname": "a", "network/interfaces/eth0/mtu": 1_400.0])
                #expect(reply.state == .unchanged)
                #expect(reply.generation == first.generation)
                #expect(reply.changes.isEmpty)
            }
            // Unsetting an unset setting is no change either.
            #expect(try await agent.set(["system/timezone": nil]).state == .unchanged)
            #expect(try await written() == counts)
            #expect(try await files() == bytes)
            try await agent.set(["system/hostname": "b"])
            #expect(try await written() != counts)
            #expect(try await files() != bytes)
        }
    }
}
