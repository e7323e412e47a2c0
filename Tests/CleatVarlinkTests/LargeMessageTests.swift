import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatVarlink

/// Many clients that send large messages at once, on a real socket.
@Suite struct LargeMessageTests {
    /// A call whose message has about so many bytes.
    private static func echo(_ bytes: Int) -> [UInt8] {
        let head = #"{"method":"dev.test.Example.Echo","parameters":{"text":""#
        return Array(head.utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: bytes) + Array(#""}}"#.utf8) + [0]
    }

    @Test func allAreAnsweredAndFewAreHeldAtOnce() async throws {
        let limits = VarlinkLimits(largeMessages: 2)
        try await withServer(limits: limits) { fixture in
            let call = Self.echo(900 << 10)
            let lengths = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<63 {
                    group.addTask {
                        let stream = try await fixture.connect()
                        try await stream.write(call)
                        // An answered client has been held, and others may be.
                        #expect(fixture.server.largeMessages.held <= 2)
                        return try await stream.messages(1).first?.utf8.count ?? 0
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(lengths.count == 63)
            #expect(lengths.allSatisfy { $0 > 900 << 10 })
            #expect(try await fixture.eventually { fixture.server.largeMessages == (0, 0) })
            #expect(fixture.ends.all.allSatisfy { $0 == .closed })
        }
    }

    @Test func halfAMessageBlocksOthersForALimitedTime() async throws {
        let limits = VarlinkLimits(largeMessages: 1, stall: .seconds(2))
        try await withServer(limits: limits) { fixture in
            let call = Self.echo(500 << 10)
            let stalled = try await fixture.connect()
            try await stalled.write(Array(call.prefix(300 << 10)))
            #expect(try await fixture.eventually { fixture.server.largeMessages == (1, 0) })
            // Small ones pass meanwhile, and no client is disconnected because of them.
            let small = try await fixture.client()
            for _ in 0..<10 {
                #expect(try await small.call("dev.test.Example.Echo", ["text": "a"]) == ["text": "a"])
            }
            #expect(fixture.ends.all.isEmpty)

            let other = try await fixture.connect()
            try await other.write(call)
            #expect(try await other.messages(1).count == 1)
            #expect(fixture.ends.all == [.unfinished])
            #expect(await fixture.server.counters.stalled == 1)
            #expect(try await stalled.rest().isEmpty)
            #expect(try await small.call("dev.test.Example.Echo", ["text": "b"]) == ["text": "b"])
        }
    }

    @Test func aSlowSenderIsNotInterruptedWhileNoOtherWaits() async throws {
        let limits = VarlinkLimits(largeMessages: 1, stall: .nanoseconds(1))
        try await withServer(limits: limits) { fixture in
            // Its answer fits into a socket, so that the server never waits for a slow reader.
            let call = Self.echo(100 << 10)
            let stream = try await fixture.connect()
            try await stream.write(Array(call.prefix(60 << 10)))
            #expect(try await fixture.eventually { fixture.server.largeMessages == (1, 0) })
            // The limit has passed long ago, and no timer was set for it.
            #expect(fixture.loop.pendingTimers == 0)
            try await stream.write(Array(call.dropFirst(60 << 10)))
            #expect(try await stream.messages(1).count == 1)
            #expect(fixture.ends.all.isEmpty)
            #expect(fixture.server.largeMessages == (0, 0))
        }
    }

    @Test func spaceIsReleasedWhateverItsHolderDoes() async throws {
        let limits = VarlinkLimits(largeMessages: 1, stall: .seconds(3600))
        try await withServer(limits: limits) { fixture in
            let call = Self.echo(200 << 10)
            // One hangs up in the middle, one sends nonsense, one is too long, one ends its half, one wants no answer.
            let rests: [[UInt8]] = [
                [], Array("nonsense".utf8) + [0], [UInt8](repeating: 120, count: 2 << 20), Array(call.suffix(100)),
            ]
            for rest in rests {
                let stream = try await fixture.connect()
                try await stream.write(Array(call.prefix(100 << 10)))
                #expect(try await fixture.eventually { fixture.server.largeMessages == (1, 0) })
                let waiting = try await fixture.connect()
                let written = fixture.loop.task { try await waiting.write(call) }
                #expect(try await fixture.eventually { fixture.server.largeMessages == (1, 1) })
                try? await stream.write(rest)
                if rest.isEmpty { stream.close() }
                #expect(try await waiting.messages(1).count == 1)
                try await written.value
                stream.close()
                waiting.close()
                #expect(try await fixture.eventually { await fixture.server.counters.active == 0 })
                #expect(fixture.server.largeMessages == (0, 0))
            }
        }
    }

    /// Waiting calls are cancelled with the server; `withServer` returns only then.
    @Test func stoppingEndsThoseThatWait() async throws {
        let limits = VarlinkLimits(largeMessages: 1, stall: .seconds(3600))
        try await withServer(limits: limits) { fixture in
            let call = Self.echo(200 << 10)
            var streams: [ByteStream] = []
            for _ in 0..<3 {
                let stream = try await fixture.connect()
                streams.append(stream)
                // As much as fits into the socket, of which the server takes in as much as it may.
                _ = try stream.writeSome(Array(call.dropLast(50)))
            }
            #expect(try await fixture.eventually { fixture.server.largeMessages == (1, 2) })
            withExtendedLifetime(streams) {}
        }
    }

    @Test func aStreamHoldsNoSpace() async throws {
        let limits = VarlinkLimits(largeMessages: 1, stall: .seconds(3600))
        try await withServer(limits: limits) { fixture in
            let filler = String(repeating: "x", count: 200 << 10)
            let stream = try await fixture.connect()
            try await stream.write(
                #"{"method":"dev.test.Example.Count","parameters":{"to":1000000000,"filler":"\#(filler)"},"more":true}␀"#
            )
            #expect(try await fixture.eventually { fixture.service.counts.sent > 0 })
            let other = try await fixture.client()
            #expect(
                try await other.call("dev.test.Example.Echo", ["text": .string(filler)]) == ["text": .string(filler)])
            stream.close()
        }
    }
}
