import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatVarlink

/// Runs blocking code on a thread of its own, so that the loop goes on.
func blocking<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    let thread = ThreadExecutor(name: "test-client")
    defer { thread.shutdown() }
    return try await Task(executorPreference: thread) { try body() }.value
}

@Suite struct VarlinkClientTests {
    @Test func callsAndStreams() async throws {
        try await withServer { fixture in
            let path = fixture.path
            try await blocking {
                let client = try VarlinkClient.connect(path: path)
                #expect(try client.call("dev.test.Example.Echo", ["text": "a"]) == ["text": "a"])
                var numbers: [Int64?] = []
                try client.stream("dev.test.Example.Count", ["to": 4]) { reply in
                    numbers.append(reply["number"]?.integerValue)
                    return true
                }
                #expect(numbers == [1, 2, 3, 4])
                let error = #expect(throws: VarlinkClientError.self) {
                    try client.stream("dev.test.Example.Fail", ["how": "declared"]) { _ in true }
                }
                #expect(error?.remote?.name == "dev.test.Example.Broken")
                #expect(error?.remote?.parameters["reason"] == "on purpose")
                // An error from the service leaves the connection as it was.
                #expect(
                    try client.call("dev.test.Example.Echo", ["text": "b"], timeout: .seconds(10).onThisMachine) == [
                        "text": "b"
                    ])
            }
        }
    }

    /// Replies come in the order of the calls, an error among them takes none of the others along.
    @Test func callsAreSentAhead() async throws {
        try await withServer { fixture in
            let path = fixture.path
            try await blocking {
                let client = try VarlinkClient.connect(path: path)
                let (echo, fail) = ("dev.test.Example.Echo", "dev.test.Example.Fail")
                // More than the socket holds.
                let large = String(repeating: "x", count: 600_000)
                try client.callAhead(echo, ["text": "a"])
                try client.callAhead(fail, ["how": "declared"])
                try client.callAhead(echo, ["text": "c"])
                // Another call would get the reply to one of these.
                let busy = #expect(throws: VarlinkClientError.self) { try client.call(echo, ["text": "d"]) }
                #expect(busy?.code == .busy)
                #expect(throws: VarlinkClientError.self) { try client.stream(echo, ["text": "d"]) { _ in true } }
                #expect(try client.replyToCallAhead(echo) == ["text": "a"])
                let error = #expect(throws: VarlinkClientError.self) { try client.replyToCallAhead(fail) }
                #expect(error?.remote?.name == "dev.test.Example.Broken")
                #expect(try client.replyToCallAhead(echo) == ["text": "c"])
                #expect(throws: VarlinkClientError.self) { try client.replyToCallAhead(echo) }

                try client.callAhead(fail, ["how": "declared"])
                try client.callAhead(fail, ["how": "other"])
                client.dropCallsAhead()
                #expect(try client.call(echo, ["text": "e"]) == ["text": "e"])
                try client.callAhead(fail, ["how": "disconnect"])
                try client.callAhead(echo, ["text": .string(large)])
                #expect(throws: VarlinkClientError.self) { try client.replyToCallAhead(fail) }
                client.dropCallsAhead()
                let closed = #expect(throws: VarlinkClientError.self) { try client.call(echo, ["text": "f"]) }
                #expect(closed?.code == .closed)
            }
        }
    }

    @Test func endingAStreamEarlyEndsTheConnection() async throws {
        try await withServer { fixture in
            let path = fixture.path
            try await blocking {
                let client = try VarlinkClient.connect(path: path)
                var count = 0
                try client.stream("dev.test.Example.Count", ["to": 1_000_000]) { _ in
                    count += 1
                    return count < 3
                }
                #expect(count == 3)
                let error = #expect(throws: VarlinkClientError.self) {
                    try client.call("dev.test.Example.Echo", ["text": "b"])
                }
                #expect(error?.code == .closed)
                // On the last reply there is nothing left to end.
                let other = try VarlinkClient.connect(path: path)
                try other.stream("dev.test.Example.Count", ["to": 1]) { _ in false }
                #expect(try other.call("dev.test.Example.Echo", ["text": "b"]) == ["text": "b"])
            }
        }
    }

    @Test func speaksOverTwoPipes() async throws {
        try await withServer { fixture in
            let loop = fixture.loop
            let up = try FileDescriptor.pipe()
            let down = try FileDescriptor.pipe()
            let near = try ByteStream(
                loop: loop, reading: Descriptor(owning: up.readEnd), writing: Descriptor(owning: down.writeEnd))
            let far = try await fixture.connect()
            let relays = [
                loop.task { try await Self.copy(near, far) }, loop.task { try await Self.copy(far, near) },
            ]
            let text = String(repeating: "x", count: 500_000)
            try await blocking {
                let client = try VarlinkClient(
                    reading: Descriptor(owning: down.readEnd), writing: Descriptor(owning: up.writeEnd))
                #expect(
                    try client.call(
                        "dev.test.Example.Echo", ["text": .string(text)], timeout: .seconds(20).onThisMachine)
                        == ["text": .string(text)])
            }
            for relay in relays { _ = await relay.result }
        }
    }

    private static func copy(_ from: ByteStream, _ to: ByteStream) async throws {
        while true {
            let bytes = try await from.read()
            if bytes.isEmpty { break }
            try await to.write(bytes)
        }
        to.shutdownWrite()
    }

    @Test(arguments: [
        ("missing", Errno.noSuchFileOrDirectory), ("file", .connectionRefused), ("file/x", .notDirectory),
    ]) func saysWhyItCannotConnect(_ name: String, _ errno: Errno) throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "file")
        let path = directory.appending(name)
        let error = #expect(throws: VarlinkClientError.self) { try VarlinkClient.connect(path: path) }
        #expect(error?.code == .connect)
        #expect(error?.errno == errno)
        #expect(error?.description.contains(path) == true)
        let tooLong = #expect(throws: VarlinkClientError.self) {
            try VarlinkClient.connect(path: path + String(repeating: "x", count: 200))
        }
        #expect(tooLong?.code == .connect)
    }

    /// The reaction of a peer that is not a valid service.
    enum Answer: Sendable, CaseIterable {
        case nothing, close, half, noise, twice, tooLong, reset
    }

    @Test(arguments: [
        (Answer.nothing, VarlinkClientError.Code.timedOut), (.close, .closed), (.half, .closed),
        (.noise, .protocolViolation), (.twice, .protocolViolation), (.tooLong, .protocolViolation), (.reset, .closed),
    ]) func distinguishesFailures(_ answer: Answer, _ code: VarlinkClientError.Code) async throws {
        try await withLoop { loop in
            let directory = try TemporaryDirectory()
            let path = directory.appending("socket")
            let listener = try UnixListener(loop: loop, path: path)
            let serving = loop.task {
                let stream = try await listener.accept()
                if answer == .reset {
                    stream.close()
                    return
                }
                _ = try await stream.messages(1)
                switch answer {
                case .nothing: _ = try await stream.read()
                case .close, .reset: break
                case .half: try await stream.write(#"{"parameters":{"#)
                case .noise: try await stream.write("HTTP/1.1 400 Bad Request␀")
                case .twice: try await stream.write(#"{"parameters":{},"continues":true}␀"#)
                case .tooLong: try? await stream.write([UInt8](repeating: 32, count: 2 << 20))
                }
                stream.close()
            }
            let error = try await blocking {
                #expect(throws: VarlinkClientError.self) {
                    let client = try VarlinkClient.connect(path: path)
                    return try client.call(
                        "dev.test.Example.Echo", ["text": "a"],
                        timeout: answer == .nothing ? .milliseconds(50) : .seconds(20).onThisMachine)
                }
            }
            #expect(error?.code == code, "\(String(describing: error))")
            _ = await serving.result
        }
    }

    @Test func aPipeWithoutAReaderIsAnErrorAndNoSignal() throws {
        let up = try FileDescriptor.pipe()
        let down = try FileDescriptor.pipe()
        try up.readEnd.close()
        try down.writeEnd.close()
        let client = try VarlinkClient(
            reading: Descriptor(owning: down.readEnd), writing: Descriptor(owning: up.writeEnd))
        let error = #expect(throws: VarlinkClientError.self) { try client.call("a.b.C") }
        #expect(error?.code == .closed)
    }

    @Test func aCallThatIsTooLongIsNotSent() async throws {
        try await withServer { fixture in
            let path = fixture.path
            try await blocking {
                let client = try VarlinkClient.connect(path: path)
                let text = JSONValue.string(String(repeating: "x", count: 2 << 20))
                let error = #expect(throws: VarlinkClientError.self) {
                    try client.call("dev.test.Example.Echo", ["text": text])
                }
                #expect(error?.code == .tooLarge)
                #expect(try client.call("dev.test.Example.Echo", ["text": "a"]) == ["text": "a"])
            }
        }
    }

    @Test func oneTurnedAwayLearnsWhy() async throws {
        try await withServer(limits: VarlinkLimits(connections: 1)) { fixture in
            let path = fixture.path
            try await blocking {
                let first = try VarlinkClient.connect(path: path)
                _ = try first.call("org.varlink.service.GetInfo")
                let error = #expect(throws: VarlinkClientError.self) {
                    try VarlinkClient.connect(path: path).call("org.varlink.service.GetInfo")
                }
                #expect(error?.remote == VarlinkError("dev.test.Example.Full", ["limit": 1]))
                first.close()
            }
        }
    }
}

@Suite struct VarlinkConnectionTests {
    @Test func hasOneCallAtATime() async throws {
        try await withServer { fixture in
            let client = try await fixture.client()
            let holding = fixture.loop.task { try await client.call("dev.test.Example.Hold") }
            #expect(try await fixture.eventually { fixture.service.counts.answered == 1 })
            let error = await #expect(throws: VarlinkClientError.self) {
                try await client.call("dev.test.Example.Echo", ["text": "a"])
            }
            #expect(error?.code == .busy)
            fixture.service.release()
            #expect(try await holding.value == [:])
            #expect(try await client.call("dev.test.Example.Echo", ["text": "a"]) == ["text": "a"])
        }
    }

    @Test func cancellationEndsTheConnection() async throws {
        try await withServer { fixture in
            let client = try await fixture.client()
            let holding = fixture.loop.task { try await client.call("dev.test.Example.Hold") }
            #expect(try await fixture.eventually { fixture.service.counts.answered == 1 })
            holding.cancel()
            await #expect(throws: CancellationError.self) { try await holding.value }
            let error = await #expect(throws: VarlinkClientError.self) {
                try await client.call("dev.test.Example.Echo", ["text": "a"])
            }
            #expect(error?.code == .closed)
            fixture.service.release()
        }
    }

    /// Even where the next reply has always come already, so that nothing is ever waited for.
    @Test func cancellationEndsAStreamThatNeverPauses() async throws {
        try await withLoop { loop in
            let (here, there) = try ByteStream.pair(loop: loop)
            defer { there.close() }
            let client = VarlinkConnection(loop: loop, stream: here)
            for number in 1...2 {
                try await there.write(Array(#"{"continues":true,"parameters":{"number":\#(number)}}"#.utf8) + [0])
            }
            let streaming = loop.task {
                try await client.stream("a.b.C") { reply in
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return reply["number"]?.integerValue == 1
                }
            }
            await #expect(throws: CancellationError.self) { try await streaming.value }
        }
    }

    @Test func cannotConnectToNothing() async throws {
        try await withLoop { loop in
            let error = await #expect(throws: VarlinkClientError.self) {
                try await VarlinkConnection.connect(path: "/nonexistent/socket", loop: loop)
            }
            #expect(error?.code == .connect)
            #expect(error?.errno == .noSuchFileOrDirectory)
        }
    }
}
