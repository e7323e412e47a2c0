import CleatIO
import CleatJSON
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatVarlink

@Suite struct VarlinkServerTests {
    // MARK: Introspection and errors

    @Test func saysWhoItIs() async throws {
        try await withServer { fixture in
            let client = try await fixture.client()
            let information = try await client.call("org.varlink.service.GetInfo")
            #expect(
                information == [
                    "vendor": "Test", "product": "Example", "version": "1.2", "url": "https://example.net",
                    "interfaces": ["org.varlink.service", "dev.test.Example"],
                ])
            for (name, text) in [
                ("dev.test.Example", exampleText), ("org.varlink.service", InterfaceDescription.service.text),
            ] {
                let reply = try await client.call(
                    "org.varlink.service.GetInterfaceDescription", ["interface": .string(name)])
                #expect(reply == ["description": .string(text)])
            }
        }
    }

    static let refusals: [(String, JSONObject, VarlinkError)] = [
        ("org.varlink.service.GetInterfaceDescription", ["interface": "no.such"], .interfaceNotFound("no.such")),
        ("no.such.Method", [:], .interfaceNotFound("no.such")),
        ("dev.test.Example.Nope", [:], .methodNotFound("dev.test.Example.Nope")),
        ("org.varlink.service.Nope", [:], .methodNotFound("org.varlink.service.Nope")),
        ("dev.test.Example.Missing", [:], .methodNotImplemented("dev.test.Example.Missing")),
        ("dev.test.Example.Echo", [:], .invalidParameter("text")),
        ("dev.test.Example.Echo", ["text": 1], .invalidParameter("text")),
        ("dev.test.Example.Echo", ["text": "a", "other": 1], .invalidParameter("other")),
        ("org.varlink.service.GetInfo", ["x": .null], .invalidParameter("x")),
        ("Nonsense", [:], .invalidParameter("method")),
        (
            "dev.test.Example.Fail", ["how": "declared"],
            VarlinkError("dev.test.Example.Broken", ["reason": "on purpose"])
        ),
        ("dev.test.Example.Fail", ["how": "other"], VarlinkError("dev.test.Example.Internal", ["message": "Oops"])),
        (
            "dev.test.Example.Fail", ["how": "undeclared"],
            VarlinkError("dev.test.Example.Internal", ["message": "VarlinkReplyMismatch"])
        ),
        (
            "dev.test.Example.Fail", ["how": "wrong reply"],
            VarlinkError("dev.test.Example.Internal", ["message": "VarlinkReplyMismatch"])
        ),
        (
            "dev.test.Example.Fail", ["how": "send"],
            VarlinkError("dev.test.Example.Internal", ["message": "VarlinkSendError"])
        ),
        (
            "dev.test.Example.Fail", ["how": "long"],
            VarlinkError("dev.test.Example.Internal", ["message": "VarlinkSendError"])
        ),
    ]

    @Test(arguments: refusals) func answersWithAnError(
        _ method: String, _ parameters: JSONObject, _ expected: VarlinkError
    ) async throws {
        try await withServer { fixture in
            let client = try await fixture.client()
            let error = await #expect(throws: VarlinkClientError.self) {
                try await client.call(method, parameters.encoded)
            }
            #expect(error?.remote == expected)
            // The connection is as good as before.
            #expect(try await client.call("dev.test.Example.Echo", ["text": "still"]) == ["text": "still"])
        }
    }

    @Test(arguments: [
        (#"{"method":"dev.test.Example.Echo","parameters":{"text":"a"},"upgrade":true}␀"#, "upgrade"),
        (#"{"method":"dev.test.Example.Echo","parameters":{"text":"a"},"deadline":5}␀"#, "deadline"),
    ]) func refusesMembersOfTheCall(_ message: String, _ member: String) async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            try await stream.write(message)
            let reply = try await stream.messages(1)
            #expect(
                reply == [#"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(member)"}}"#])
            #expect(fixture.service.counts.answered == 0)
        }
    }

    @Test(
        "A user has a limit, and some connections are kept for privileged users", .tags(.fault),
        arguments: [(false, 2), (true, 4)])
    func connectionsOfAUser(isPrivileged: Bool, served: Int) async throws {
        let limits = VarlinkLimits(connections: 4, perUser: 2, reserved: 1)
        try await withServer(limits: limits, standing: { _ in isPrivileged ? .privileged : .user }) { fixture in
            var clients: [VarlinkConnection] = []
            for number in 1...5 {
                let client = try await fixture.client()
                clients.append(client)
                if number <= served {
                    _ = try await client.call("dev.test.Example.Echo", ["text": "a"])
                } else {
                    let error = await #expect(throws: VarlinkClientError.self) {
                        try await client.call("dev.test.Example.Echo", ["text": "a"])
                    }
                    #expect(error?.remote?.parameters["limit"] == .integer(Int64(served)), "\(number)")
                }
            }
            // One that ends leaves its place to the next.
            clients[0].close()
            let isServed = try await fixture.eventually {
                let client = try await fixture.client()
                defer { client.close() }
                return (try? await client.call("dev.test.Example.Echo", ["text": "a"])) != nil
            }
            #expect(isServed)
            for client in clients { client.close() }
        }
    }

    @Test(
        "At its limit, a user's quiet remote connection makes space for a new one; busy and local ones do not",
        .tags(.fault), arguments: [true, false])
    func quietConnections(isRemote: Bool) async throws {
        let limits = VarlinkLimits(connections: 4, perUser: 2, reserved: 1, quiet: .milliseconds(50))
        try await withServer(limits: limits, standing: { _ in .user }, isRemote: { _ in isRemote }) { fixture in
            let busy = try await fixture.client()
            let quiet = try await fixture.client()
            _ = try await quiet.call("dev.test.Example.Echo", ["text": "a"])
            let waiting = fixture.loop.task {
                try await busy.call("dev.test.Example.Hold", [:])
            }
            #expect(try await fixture.eventually { fixture.service.counts.answered == 2 })
            let isServed = try await fixture.loop.eventually(within: .seconds(isRemote ? 20 : 1)) {
                let third = try await fixture.client()
                defer { third.close() }
                return (try? await third.call("dev.test.Example.Echo", ["text": "b"])) != nil
            }
            #expect(isServed == isRemote)
            let isLeft = (try? await quiet.call("dev.test.Example.Echo", ["text": "c"])) != nil
            #expect(isLeft != isRemote)
            fixture.service.release()
            _ = try await waiting.value
            for client in [busy, quiet] { client.close() }
        }
    }

    @Test("A client that makes no call is disconnected; one that has made a call is not", .tags(.fault))
    func silence() async throws {
        try await withServer(limits: VarlinkLimits(firstCall: .milliseconds(200))) { fixture in
            let speaker = try await fixture.client()
            _ = try await speaker.call("dev.test.Example.Echo", ["text": "a"])
            for bytes in [[], Array(#"{"method":"dev.test.Ex"#.utf8)] as [[UInt8]] {
                let silent = try await ByteStream.connect(to: UnixAddress(fixture.path), loop: fixture.loop)
                if !bytes.isEmpty { try await silent.write(bytes) }
                let end = try await fixture.loop.withDeadline(.seconds(30).onThisMachine) { try await silent.read() }
                #expect(end.isEmpty)
            }
            #expect(fixture.ends.all == [.silent, .silent])
            _ = try await speaker.call("dev.test.Example.Echo", ["text": "b"])
            speaker.close()
        }
    }

    @Test("A stranger is disconnected in time, although it makes calls, and sends no long message", .tags(.fault))
    func strangers() async throws {
        let limits = VarlinkLimits(small: 1_000, strangers: 4, firstCall: .milliseconds(300))
        try await withServer(limits: limits, standing: { _ in .stranger }) { fixture in
            let speaker = try await fixture.client()
            _ = try await speaker.call("dev.test.Example.Echo", ["text": "a"])
            let long = try await fixture.connect()
            try await long.write(Array(repeating: UInt8(ascii: "x"), count: 2_000))
            let end = try await fixture.loop.withDeadline(.seconds(30).onThisMachine) { try await long.read() }
            #expect(end.isEmpty)
            guard case .malformed? = fixture.ends.all.first else {
                Issue.record("\(fixture.ends.all)")
                return
            }
            // Half of the places of strangers are for one user.
            let second = try await fixture.client()
            let third = try await fixture.client()
            let error = await #expect(throws: VarlinkClientError.self) {
                try await third.call("dev.test.Example.Echo", ["text": "a"])
            }
            #expect(error?.remote?.parameters["limit"] == 2)
            let isOver = try await fixture.eventually { fixture.ends.all.count(where: { $0 == .silent }) == 2 }
            #expect(isOver, "\(fixture.ends.all)")
            for client in [speaker, second, third] { client.close() }
        }
    }

    @Test func accessIsDecidedBeforeAnythingIsRead() async throws {
        try await withLoop { loop in
            let (here, there) = try ByteStream.pair(loop: loop)
            let service = ExampleService(loop: loop)
            let server = VarlinkServer(
                loop: loop, services: [service],
                configuration: VarlinkServer.Configuration(
                    vendor: "", product: "", version: "", url: "",
                    tooManyConnections: { _ in VarlinkError("dev.test.Example.Full") },
                    access: { peer, interface, method in
                        peer.uid == 4_000_000 || interface == "org.varlink.service" || method == "Count"
                            ? nil : VarlinkError("dev.test.Example.Denied")
                    },
                    mapError: { _ in VarlinkError("dev.test.Example.Internal") }))
            let serving = loop.task { await server.serve(there) }
            let client = VarlinkConnection(loop: loop, stream: here)
            for parameters in [["text": "a"], ["wrong": 1], [:]] as [JSONObject] {
                let error = await #expect(throws: VarlinkClientError.self) {
                    try await client.call("dev.test.Example.Echo", parameters.encoded)
                }
                #expect(error?.remote == VarlinkError("dev.test.Example.Denied"))
            }
            #expect(service.counts.answered == 0)
            #expect(try await client.call("dev.test.Example.Count", ["to": 1])["number"] == 1)
            _ = try await client.call("org.varlink.service.GetInfo")
            client.close()
            await serving.value
        }
    }

    // MARK: The shapes of a call

    @Test func onewayIsSilent() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            let calls = [
                #"{"method":"dev.test.Example.Echo","parameters":{"text":"silent"},"oneway":true}"#,
                #"{"method":"dev.test.Example.Fail","parameters":{"how":"other"},"oneway":true}"#,
                #"{"method":"dev.test.Example.Echo","parameters":{"text":1},"oneway":true}"#,
                #"{"method":"no.such.Method","oneway":true}"#, #"{"method":"Nonsense","oneway":true}"#,
                #"{"method":"dev.test.Example.Echo","oneway":true,"upgrade":true}"#,
                #"{"method":"dev.test.Example.Count","parameters":{"to":5},"oneway":true,"more":true}"#,
                #"{"method":"dev.test.Example.Echo","parameters":{"text":"loud"}}"#,
            ]
            try await stream.write(calls.map { $0 + "␀" }.joined())
            stream.shutdownWrite()
            #expect(try await stream.rest() == [#"{"parameters":{"text":"loud"}}"#])
            #expect(fixture.service.counts.answered == 3)
            #expect(await fixture.server.counters.calls == 8)
        }
    }

    @Test func aOnewayCallIsServedThoughItsClientIsGone() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            let call = #"{"method":"dev.test.Example.Echo","parameters":{"text":"a"},"oneway":true}␀"#
            try await stream.write(call + call)
            stream.close()
            #expect(try await fixture.eventually { fixture.service.counts.answered == 2 })
            #expect(try await fixture.eventually { fixture.ends.all == [.closed] })
        }
    }

    @Test func moreStreams() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            try await stream.write(#"{"method":"dev.test.Example.Count","parameters":{"to":3},"more":true}␀"#)
            try await stream.write(#"{"method":"dev.test.Example.Count","parameters":{"to":3}}␀"#)
            try await stream.write(#"{"method":"dev.test.Example.Echo","parameters":{"text":"a"},"more":true}␀"#)
            #expect(
                try await stream.messages(5) == [
                    #"{"parameters":{"number":1,"filler":""},"continues":true}"#,
                    #"{"parameters":{"number":2,"filler":""},"continues":true}"#,
                    #"{"parameters":{"number":3,"filler":""}}"#, #"{"parameters":{"number":3,"filler":""}}"#,
                    #"{"parameters":{"text":"a"}}"#,
                ])
        }
    }

    @Test func callsSentAheadAreAnsweredInOrder() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            let calls = (0..<500).map { number in
                number % 7 == 0
                    ? #"{"method":"dev.test.Example.Count","parameters":{"to":\#(number)},"more":false}␀"#
                    : number % 5 == 0
                        ? #"{"method":"dev.test.Example.Echo","parameters":{"text":"\#(number)"},"more":true}␀"#
                        : #"{"method":"dev.test.Example.Echo","parameters":{"text":"\#(number)"}}␀"#
            }
            let writing = fixture.loop.task { try await stream.write(calls.joined()) }
            let expected = (0..<500).map { number in
                number % 7 == 0
                    ? #"{"parameters":{"number":\#(number),"filler":""}}"# : #"{"parameters":{"text":"\#(number)"}}"#
            }
            #expect(try await stream.messages(500) == expected)
            try await writing.value
        }
    }

    @Test func aFloodOfCallsLeavesTurnsToOthers() async throws {
        try await withServer { fixture in
            let flood = try await fixture.connect()
            let other = try await fixture.connect()
            let call = #"{"method":"dev.test.Example.Echo","parameters":{"text":"a"},"oneway":true}␀"#
            let writing = fixture.loop.task {
                try await flood.write(String(repeating: call, count: 2000))
            }
            try await other.write(#"{"method":"dev.test.Example.Echo","parameters":{"text":"b"}}␀"#)
            #expect(try await other.messages(1) == [#"{"parameters":{"text":"b"}}"#])
            #expect(fixture.service.counts.answered < 500)
            try await writing.value
            #expect(try await fixture.eventually { fixture.service.counts.answered == 2001 })
        }
    }

    @Test func aCallMayComeByteByByte() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            let call = Array(#"{"method":"dev.test.Example.Echo","parameters":{"text":"é"}}"#.utf8) + [0]
            for _ in 0..<2 {
                for byte in call {
                    try await stream.write([byte])
                    await fixture.loop.yield()
                }
                #expect(try await stream.messages(1) == [#"{"parameters":{"text":"é"}}"#])
            }
        }
    }

    @Test func aLargeCallAndItsReplyPass() async throws {
        try await withServer { fixture in
            let client = try await fixture.client()
            let text = JSONValue.string(String(repeating: "x", count: 1_000_000))
            #expect(try await client.call("dev.test.Example.Echo", ["text": text]) == ["text": text])
        }
    }

    // MARK: Bad input

    @Test(arguments: MessageTests.malformed) func whatIsNoCallEndsThatConnectionAlone(_ message: String) async throws {
        try await withServer { fixture in
            let other = try await fixture.client()
            #expect(try await other.call("dev.test.Example.Echo", ["text": "before"]) == ["text": "before"])
            let stream = try await fixture.connect()
            try await stream.write(message + "␀" + #"{"method":"dev.test.Example.Echo","parameters":{"text":"a"}}␀"#)
            #expect(try await stream.rest() == [])
            #expect(try await other.call("dev.test.Example.Echo", ["text": "after"]) == ["text": "after"])
            #expect(fixture.service.counts.answered == 2)
            let counters = await fixture.server.counters
            #expect(counters.malformed == 1)
            #expect(counters.active == 1)
        }
    }

    @Test(arguments: [false, true]) func aMessageThatNeverEndsIsCutOff(_ ends: Bool) async throws {
        try await withServer { fixture in
            let other = try await fixture.client()
            let stream = try await fixture.connect()
            let chunk = [UInt8](repeating: UInt8(ascii: " "), count: 64 << 10)
            var sent = 0
            do {
                while sent < 16 << 20 {
                    try await stream.write(ends && sent >= 2 << 20 ? chunk + [0] : chunk)
                    sent += chunk.count
                }
                Issue.record("the server took 16 MiB without an end")
            } catch {
                // What it took is the limit, and what the socket holds.
                #expect(sent <= 2 << 20)
            }
            #expect(try await fixture.eventually { await fixture.server.counters.malformed == 1 })
            #expect(fixture.ends.all == [.malformed("a message is longer than the limit of 1048576 bytes")])
            #expect(try await other.call("dev.test.Example.Echo", ["text": "a"]) == ["text": "a"])
        }
    }

    @Test func anEmptyMessageAndAnIncompleteOneEndTheConnection() async throws {
        try await withServer { fixture in
            let first = try await fixture.connect()
            try await first.write("␀")
            #expect(try await first.rest() == [])
            let second = try await fixture.connect()
            try await second.write(#"{"method":"dev.test.Exam"#)
            second.shutdownWrite()
            #expect(try await second.rest() == [])
            #expect(try await fixture.eventually { fixture.ends.all == [.malformed("a message is empty"), .closed] })
        }
    }

    @Test func twoHundredConnectionsAtOnce() async throws {
        try await withServer { fixture in
            var clients: [VarlinkConnection] = []
            for _ in 0..<200 { clients.append(try await fixture.client()) }
            var served = 0
            var refused = 0
            for client in clients {
                do {
                    _ = try await client.call("dev.test.Example.Echo", ["text": "a"])
                    served += 1
                } catch let error as VarlinkClientError {
                    #expect(error.remote == VarlinkError("dev.test.Example.Full", ["limit": 64]))
                    refused += 1
                }
            }
            #expect(served == 64)
            #expect(refused == 136)
            var counters = await fixture.server.counters
            #expect(counters.active == 64)
            #expect(counters.refused == 136)
            for client in clients { client.close() }
            #expect(try await fixture.eventually { await fixture.server.counters.active == 0 })
            let late = try await fixture.client()
            #expect(try await late.call("dev.test.Example.Echo", ["text": "late"]) == ["text": "late"])
            counters = await fixture.server.counters
            #expect(counters.accepted == 65)
        }
    }

    // MARK: Slow and absent readers

    @Test func aClientThatStopsReadingIsDisconnected() async throws {
        let limits = VarlinkLimits(outgoing: 64 << 10, stall: .milliseconds(300))
        try await withServer(limits: limits) { fixture in
            let other = try await fixture.client()
            let stream = try await fixture.connect()
            let filler = String(repeating: "x", count: 1000)
            try await stream.write(
                #"{"method":"dev.test.Example.Count","parameters":{"to":1000000000,"filler":"\#(filler)"},"more":true}␀"#
            )
            // It sends until the socket and the queue are full, then it waits.
            #expect(try await fixture.eventually { fixture.service.counts.sent > 50 })
            #expect(try await other.call("dev.test.Example.Echo", ["text": "a"]) == ["text": "a"])
            #expect(try await fixture.eventually { fixture.ends.all == [.stalled] })
            let counters = await fixture.server.counters
            #expect(counters.stalled == 1)
            #expect(counters.active == 1)
            #expect(fixture.service.counts.refusedSends == [VarlinkSendError(.disconnected)])
            // What was sent is what a socket and the queue hold, not more.
            #expect(fixture.service.counts.sent < 2000)
            #expect(try await other.call("dev.test.Example.Echo", ["text": "b"]) == ["text": "b"])
            withExtendedLifetime(stream) {}
        }
    }

    @Test func aClientThatSendsAheadAndNeverReadsIsDisconnected() async throws {
        let limits = VarlinkLimits(outgoing: 64 << 10, stall: .milliseconds(300))
        try await withServer(limits: limits) { fixture in
            let stream = try await fixture.connect()
            let filler = String(repeating: "x", count: 10_000)
            let call = Array(#"{"method":"dev.test.Example.Echo","parameters":{"text":"\#(filler)"}}"#.utf8) + [0]
            await #expect(throws: (any Error).self) {
                for _ in 0..<10_000 { try await stream.write(call) }
            }
            #expect(try await fixture.eventually { fixture.ends.all == [.stalled] })
            #expect(fixture.service.counts.answered < 200)
        }
    }

    @Test func aSlowReaderGetsEverythingInOrder() async throws {
        try await withServer(limits: VarlinkLimits(outgoing: 8 << 10)) { fixture in
            let client = try await fixture.client()
            let filler = String(repeating: "x", count: 2000)
            let expected = Int64(1000)
            var seen: [Int64] = []
            let (loop, service) = (fixture.loop, fixture.service)
            // The reader pauses until the sender has run into the limit.
            let numbers = Numbers()
            try await client.stream("dev.test.Example.Count", ["to": .integer(expected), "filler": .string(filler)]) {
                reply in
                if numbers.all.count == 5 {
                    var before = -1
                    while service.counts.sent != before {
                        before = service.counts.sent
                        for _ in 0..<20 { await loop.yield() }
                    }
                    #expect(before < 500)
                }
                numbers.append(reply["number"]?.integerValue ?? -1)
                return true
            }
            seen = numbers.all
            #expect(seen == Array(1...expected))
            #expect(try await client.call("dev.test.Example.Echo", ["text": "a"]) == ["text": "a"])
        }
    }

    @Test func hangingUpCancelsAStream() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            // The second call waits in the socket, and does not hide the end.
            try await stream.write(
                #"{"method":"dev.test.Example.Hold","more":true}␀{"method":"org.varlink.service.GetInfo"}␀"#)
            #expect(try await stream.messages(1).count == 1)
            #expect(fixture.service.counts.cancelled == 0)
            stream.close()
            #expect(try await fixture.eventually { fixture.service.counts.cancelled == 1 })
            #expect(try await fixture.eventually { fixture.ends.all == [.closed] })
            #expect(await fixture.server.counters.active == 0)
        }
    }

    @Test(arguments: [true, false]) func endingOnesOwnHalfLetsTheCallFinish(_ more: Bool) async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            try await stream.write(#"{"method":"dev.test.Example.Hold","more":\#(more)}␀"#)
            stream.shutdownWrite()
            #expect(try await fixture.eventually { fixture.service.counts.answered == 1 })
            for _ in 0..<10 { await fixture.loop.yield() }
            fixture.service.release()
            let expected = [#"{"parameters":{},"continues":true}"#, #"{"parameters":{}}"#]
            #expect(try await stream.rest() == (more ? expected : [expected[1]]))
            #expect(fixture.service.counts.cancelled == 0)
        }
    }

    @Test func aCallWithOneReplyFinishesThoughItsClientIsGone() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            try await stream.write(#"{"method":"dev.test.Example.Hold"}␀"#)
            #expect(try await fixture.eventually { fixture.service.counts.answered == 1 })
            stream.close()
            for _ in 0..<10 { await fixture.loop.yield() }
            fixture.service.release()
            #expect(try await fixture.eventually { fixture.ends.all == [.closed] })
            #expect(fixture.service.counts.cancelled == 0)
        }
    }

    @Test func theLastReplyReachesASlowClientThatEndedItsHalf() async throws {
        try await withServer { fixture in
            let stream = try await fixture.connect()
            let text = String(repeating: "x", count: 900_000)
            let writing = fixture.loop.task {
                try await stream.write(#"{"method":"dev.test.Example.Echo","parameters":{"text":"\#(text)"}}␀"#)
                stream.shutdownWrite()
            }
            try await writing.value
            #expect(try await fixture.eventually { fixture.service.counts.answered == 1 })
            for _ in 0..<20 { await fixture.loop.yield() }
            #expect(try await stream.rest() == [#"{"parameters":{"text":"\#(text)"}}"#])
        }
    }

    @Test func aServiceCanDisconnect() async throws {
        try await withServer { fixture in
            let client = try await fixture.client()
            let error = await #expect(throws: VarlinkClientError.self) {
                try await client.call("dev.test.Example.Fail", ["how": "disconnect"])
            }
            #expect(error?.code == .closed)
            #expect(try await fixture.eventually { fixture.ends.all == [.disconnected] })
        }
    }

    @Test func stoppingEndsConnectionsAndStreams() async throws {
        let (cancelled, ends) = try await withServer { fixture in
            let idle = try await fixture.client()
            _ = try await idle.call("org.varlink.service.GetInfo")
            let stream = try await fixture.connect()
            try await stream.write(#"{"method":"dev.test.Example.Hold","more":true}␀"#)
            #expect(try await stream.messages(1).count == 1)
            return (fixture.service, fixture.ends)
        }
        #expect(cancelled.counts.cancelled == 1)
        #expect(ends.all == [.stopped, .stopped] || Set(ends.all) == [.stopped, .closed])
    }

    @Test func stoppingLetsACallThatCannotBeCancelledReply() async throws {
        try await withLoop { loop in
            let (here, there) = try ByteStream.pair(loop: loop)
            let service = ExampleService(loop: loop)
            let server = VarlinkServer(
                loop: loop, services: [service],
                configuration: VarlinkServer.Configuration(
                    vendor: "", product: "", version: "", url: "", tooManyConnections: { _ in VarlinkError("a.B") },
                    mapError: { _ in VarlinkError("a.B") }))
            let serving = loop.task { await server.serve(there) }
            let call = #"{"method":"dev.test.Example.Insist"}␀"#
            try await here.write(call + call)
            #expect(try await loop.eventually { service.counts.answered == 1 })
            serving.cancel()
            service.release()
            // The running call is answered, the next one is not started.
            #expect(try await here.rest() == [#"{"parameters":{}}"#])
            await serving.value
            #expect(service.counts.answered == 1)
        }
    }

    @Test func replyingAfterTheEndIsRefused() async throws {
        try await withLoop { loop in
            let (here, there) = try ByteStream.pair(loop: loop)
            let service = LateService(loop: loop)
            let server = VarlinkServer(
                loop: loop, services: [service],
                configuration: VarlinkServer.Configuration(
                    vendor: "", product: "", version: "", url: "", tooManyConnections: { _ in VarlinkError("a.B") },
                    mapError: { _ in VarlinkError("a.B") }))
            let serving = loop.task { await server.serve(there) }
            let client = VarlinkConnection(loop: loop, stream: here)
            try await client.stream("dev.test.Example.Hold") { _ in true }
            await #expect(throws: VarlinkSendError(.callEnded)) { try await service.late?.value }
            client.close()
            await serving.value
            await #expect(throws: VarlinkSendError(.disconnected)) { try await service.sendAgain() }
        }
    }
}

/// Keeps its call and sends after it has returned.
actor LateService: VarlinkService {
    nonisolated let interface = InterfaceDescription(constant: exampleText)
    private nonisolated let loop: EventLoop
    private(set) var late: Task<Void, any Error>?
    private var call: VarlinkCall?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(loop: EventLoop) { self.loop = loop }

    func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        self.call = call
        late = loop.task { [loop] in
            await loop.yield()
            await loop.yield()
            try await call.send([:])
        }
        return [:]
    }

    func sendAgain() async throws { try await call?.send([:]) }
}

/// Numbers that closures append to.
final class Numbers: Sendable {
    private let list = Mutex<[Int64]>([])
    var all: [Int64] { list.withLock { $0 } }
    func append(_ number: Int64) { list.withLock { $0.append(number) } }
}
