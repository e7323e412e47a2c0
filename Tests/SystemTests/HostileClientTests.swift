import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import Synchronization
import SystemPackage
import Testing

@Suite("Hostile clients", .tags(.board), .serialized)
struct HostileClientTests {
    /// Writes as much as the other end takes.
    private static func send(_ bytes: [UInt8], to stream: ByteStream) async {
        // The service may close the connection in the middle; the caller checks whether it did.
        try? await stream.write(bytes)
    }

    /// Reads until the other end closes, and gives what it said.
    private static func drain(_ stream: ByteStream, loop: EventLoop) async throws -> [UInt8] {
        try await loop.withDeadline(Board.patience) {
            var all: [UInt8] = []
            while true {
                guard let bytes = try? await stream.read(upTo: 1 << 16), !bytes.isEmpty else {
                    try Task.checkCancellation()
                    return all
                }
                all += bytes
            }
        }
    }

    @Test(
        "Invalid messages close only their connection", .tags(.anyMachine),
        arguments: [
            "{", "nonsense", "[]", "null", "7", "", #"{"method":1}"#, #"{"method":"a","method":"b"}"#,
            #"{"method":"dev.cleat.Service.Status","parameters":[]}"#,
            #"{"method":"dev.cleat.Service.Status","more":"yes"}"#, "{\"method\":\"\u{1}\"}",
            #"{"method":"dev.cleat.Service.Status"}{"method":"dev.cleat.Service.Status"}"#,
            #"{"method":"\ud800"}"#, String(repeating: "[", count: 10_000), "\u{feff}{}",
        ])
    func malformed(_ text: String) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let other = try await agent.connect()
            let stream = try await agent.connectPlainly()
            await Self.send(Array(text.utf8) + [0], to: stream)
            let answer = try await Self.drain(stream, loop: board.loop)
            #expect(answer.isEmpty || String(decoding: answer, as: UTF8.self).contains("\"error\""), "\(answer)")
            let status = try await other.call(ServiceInterface.Status.self, .init())
            #expect(status.counters.first { $0.name == "connections.malformed" }?.value == 1)
            other.close()
        }
    }

    @Test("Invalid UTF-8 closes only its connection")
    func noUnicode() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let stream = try await agent.connectPlainly()
            await Self.send([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d, 0], to: stream)
            _ = try await Self.drain(stream, loop: board.loop)
            #expect(try await agent.counter("connections.malformed") == 1)
        }
    }

    @Test("A value of 2 MiB and a message that never ends are interrupted; the service's memory does not grow")
    func endless() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try await agent.set(["system/hostname": "pump-7"])
            let before = try #require(await agent.status().memoryPrivate)
            let head =
                #"{"method":"dev.cleat.Settings.Set","parameters":{"changes":[{"path":"system/hostname","value":""#
            let value = [UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20)
            let tail = #""}]}}"# + "\0"
            for bytes in [Array(head.utf8) + value + Array(tail.utf8), Array(head.utf8) + value + value + value, value]
            {
                let stream = try await agent.connectPlainly()
                await Self.send(bytes, to: stream)
                _ = try await Self.drain(stream, loop: board.loop)
            }
            #expect(try await agent.counter("connections.malformed") == 3)
            #expect(try await agent.get("system/hostname") == "pump-7")
            let after = try #require(await agent.status().memoryPrivate)
            #expect(after - before < 8 << 20, "\(before) before, \(after) after")

            // A value that fits into a message but not into the setting is refused, and shown in part.
            let error = try await agent.refusal(
                "dev.cleat.Settings.Set",
                [
                    "changes": [
                        ["path": "system/hostname", "value": .string(String(repeating: "x", count: 1_000_000))]
                    ]
                ])
            #expect(error.name == "dev.cleat.Settings.InvalidValue")
        }
    }

    @Test("A message in small parts is served, and others meanwhile")
    func slowly() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            let stream = try await agent.connectPlainly()
            for byte in Array(#"{"method":"dev.cleat.Settings.Get","parameters":{"path":"system/hostname"}}"#.utf8) + [
                0
            ] {
                try await stream.write([byte])
                if byte == UInt8(ascii: ":") { #expect(try await agent.get("system/hostname") == nil) }
            }
            let answer = try await board.loop.withDeadline(Board.patience) { try await stream.read() }
            #expect(String(decoding: answer, as: UTF8.self).contains(#""in_force":false"#))
            stream.close()
        }
    }

    @Test("Of 200 connections 64 are served, the others get an error with the reason, and all is well afterwards")
    func manyConnections() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            var open: [VarlinkConnection] = []
            var served = 0
            var refused = 0
            for _ in 0..<200 {
                let connection = try await agent.connect()
                open.append(connection)
                do {
                    _ = try await connection.call(SettingsInterface.Get.self, .init(path: "system/hostname"))
                    served += 1
                } catch let error as VarlinkClientError {
                    let remote = try #require(error.remote, "\(error)")
                    #expect(remote.name == "dev.cleat.Service.TooManyConnections")
                    #expect(remote.parameters["limit"] == 64)
                    refused += 1
                }
            }
            #expect(served == 64)
            #expect(refused == 136)
            // Those that are served go on being served.
            for connection in open.prefix(64) {
                let reply = try await connection.call(SettingsInterface.Get.self, .init(path: "system/hostname"))
                #expect(reply.setting.path == "system/hostname" && reply.setting.value == nil)
            }
            for connection in open { connection.close() }
            try await board.eventually("there was room again") {
                (try? await agent.status().generation) == 0
            }
            #expect(try await agent.counter("connections.refused") >= 136)
        }
    }

    @Test("63 clients that send 900 KiB each at once are all answered, in the memory of a few")
    func largeMessagesAtOnce() async throws {
        try await Board.with { board in
            // None of them is late, however slow the machine.
            try board.directory.write("{ connections: { stallTimeout: \"3600s\" } }", to: "etc/cleatd.json5")
            let agent = try await board.start()
            let pid = try agent.pid
            let comment = [UInt8](repeating: UInt8(ascii: "x"), count: 900 << 10)
            let head = #"{"method":"dev.cleat.Settings.Set","parameters":{"changes":[],"comment":""#
            let call = Array(head.utf8) + comment + Array(#""}}"#.utf8) + [0]
            let before = try memory("VmRSS", of: pid)
            var streams: [ByteStream] = []
            for _ in 0..<63 { streams.append(try await agent.connectPlainly()) }
            let sent = try await sendAllButTheEnd(of: call, to: streams, of: agent)
            let answers = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for (stream, sent) in zip(streams, sent) {
                    group.addTask {
                        try await stream.write(Array(call[sent...]))
                        var answer: [UInt8] = []
                        while answer.last != 0 {
                            let bytes = try await stream.read()
                            if bytes.isEmpty { break }
                            answer += bytes
                        }
                        stream.close()
                        return answer
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == 63)
            #expect(answers.allSatisfy { $0.last == 0 && $0.count > 10 })
            // All of them at once would be 55 MiB before a single one is parsed.
            let most = try memory("VmHWM", of: pid)
            #expect(most - before < 32 << 20, "\(before) before, \(most) at most")
            #expect(try await agent.get("system/hostname") == nil)
        }
    }

    /// Sends in turns what the service accepts, up to the last byte; returns the number of bytes that each has sent.
    private func sendAllButTheEnd(
        of call: [UInt8], to streams: [ByteStream], of agent: RunningAgent
    ) async throws -> [Int] {
        let start = Array(call.dropLast())
        let (process, thread) = (IdleProcess(try agent.pid), "\(try agent.pid)")
        let sent = Mutex([Int](repeating: 0, count: streams.count))
        // The service waits for events, and no socket has space: the others wait until it has answered some.
        try await agent.board.eventually("the service accepted no more") {
            let isWaiting = try process.waitsWithoutLimit(thread: thread)
            return try sent.withLock { sent in
                let before = sent
                for (index, stream) in streams.enumerated() where sent[index] < start.count {
                    sent[index] += try stream.writeSome(start, from: sent[index])
                }
                return isWaiting && sent == before
            }
        }
        return sent.withLock { $0 }
    }

    /// Returns a memory figure of a process from the kernel, in bytes: VmRSS is the present one, VmHWM the maximum.
    private func memory(_ name: String, of pid: Int32) throws -> Int {
        let lines = try contents(of: FilePath("/proc/\(pid)/status")).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix(name + ":") })
        return try #require(Int(line.filter(\.isNumber))) * 1024
    }

    /// Starts a watch of everything that is not read beyond its first answer.
    private func silentWatcher(_ agent: RunningAgent) async throws -> ByteStream {
        let stream = try await agent.connectPlainly()
        let call = #"{"method":"dev.cleat.Settings.Watch","parameters":{"prefixes":["network"]},"more":true}"#
        try await stream.write(Array(call.utf8) + [0])
        var answer: [UInt8] = []
        while answer.last != 0 { answer += try await Self.more(of: stream) }
        return stream
    }

    /// Reads some of a stream that has not ended: at its end every further read would be answered with nothing at once.
    private static func more(of stream: ByteStream) async throws -> [UInt8] {
        let bytes = try await stream.read()
        try #require(!bytes.isEmpty, "the service has closed the connection")
        return bytes
    }

    /// Changes the sizes of 100 interfaces in one transaction: about 15 KB for each who watches.
    private func change(_ agent: RunningAgent, _ connection: VarlinkConnection, round: Int) async throws {
        let changes = (0..<100).map {
            RequestedChange(path: "network/interfaces/e\($0)/mtu", value: .integer(Int64(1_000 + round)))
        }
        _ = try await connection.call(SettingsInterface.Set.self, .init(changes: changes))
    }

    @Test(
        "A watcher that does not read blocks no client, and gets the number of lost changes when it reads again",
        .tags(.anyMachine))
    func silentWatcherIsNotifiedOfLosses() async throws {
        try await Board.with { board in
            // However slow the machine is, the watcher is not taken for one that never reads again.
            try board.directory.write("{ connections: { stallTimeout: \"3600s\" } }", to: "etc/cleatd.json5")
            let agent = try await board.start()
            let writer = try await agent.connect()
            defer { writer.close() }
            try await change(agent, writer, round: 0)
            let stream = try await silentWatcher(agent)
            let before = try #require(await agent.status().memoryPrivate)
            let rounds = 150
            for round in 1...rounds { try await change(agent, writer, round: round) }
            let after = try #require(await agent.status().memoryPrivate)
            #expect(after - before < 8 << 20, "\(before) before, \(after) after")

            // It reads the present values in the end, and the commits that were not reported one by one are counted.
            let (told, lost, last) = try await board.loop.withDeadline(Board.patience) {
                var framer = MessageFramer(limit: 1 << 20)
                var (told, lost) = (0, 0)
                var last: [String: JSONValue] = [:]
                while last["network/interfaces/e99/mtu"] != .integer(Int64(1_000 + rounds)) {
                    framer.append(try await Self.more(of: stream))
                    while let message = try framer.next() {
                        let parameters = try JSONReader.read(Array(message)).objectValue?["parameters"]
                        let reply = try SettingsInterface.Watch.Reply(wire: #require(parameters?.objectValue))
                        told += 1
                        lost += Int(reply.lost ?? 0)
                        for setting in reply.settings where setting.path.hasSuffix("/mtu") {
                            last[setting.path] = setting.value
                        }
                    }
                }
                return (told, lost, last)
            }
            #expect(lost > 0)
            #expect(told + lost >= rounds)
            #expect(last.count == 100, "\(last.keys.sorted())")
            #expect(Set(last.values) == [.integer(Int64(1_000 + rounds))])
            stream.close()
        }
    }

    @Test("A watcher that reads nothing for too long is disconnected", .tags(.anyMachine))
    func silentWatcherIsDisconnected() async throws {
        try await Board.with { board in
            try board.directory.write("{ connections: { stallTimeout: \"300ms\" } }", to: "etc/cleatd.json5")
            let agent = try await board.start()
            let writer = try await agent.connect()
            defer { writer.close() }
            try await change(agent, writer, round: 0)
            let stream = try await silentWatcher(agent)
            var round = 0
            // Only what no longer fits into the socket waits in the service.
            while try await agent.counter("connections.stalled") == 0, round < 2_000 {
                round += 1
                try await change(agent, writer, round: round)
            }
            #expect(try await agent.counter("connections.stalled") == 1)
            _ = try await Self.drain(stream, loop: board.loop)
            let log = try await agent.stop().outputText
            #expect(log.contains("disconnected"), "\(log)")
        }
    }
}
