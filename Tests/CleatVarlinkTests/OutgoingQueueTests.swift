import CleatTestSupport
import Testing

@testable import CleatVarlink

@Suite struct OutgoingQueueTests {
    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    @Test func firstBecomesTheWriter() {
        var queue = OutgoingQueue(limit: 10)
        #expect(queue.enqueue(bytes(4), ticket: 1) == .write(bytes(4)))
        #expect(queue.enqueue(bytes(6), ticket: 2) == .queued)
        #expect(queue.queued == 10)
        #expect(queue.enqueue(bytes(1), ticket: 3) == .wait)
        #expect(queue.queued == 10)
        var step = queue.wrote(3)
        #expect(step.next == .goOn)
        #expect(step.woken == [3])
        step = queue.wrote(1)
        #expect(step.next == .write(bytes(7)))
        step = queue.wrote(7)
        #expect(step.next == .done)
        #expect(queue.isEmpty)
        #expect(queue.enqueue(bytes(1), ticket: 4) == .write(bytes(1)))
    }

    @Test func anEmptyQueueTakesAnyLength() {
        var queue = OutgoingQueue(limit: 10)
        #expect(queue.enqueue(bytes(100), ticket: 1) == .write(bytes(100)))
        #expect(queue.enqueue(bytes(1), ticket: 2) == .wait)
        #expect(queue.wrote(90).woken == [])
        #expect(queue.wrote(1).woken == [2])
    }

    @Test func whoCameFirstGoesFirst() {
        var queue = OutgoingQueue(limit: 10)
        #expect(queue.enqueue(bytes(10), ticket: 1) == .write(bytes(10)))
        #expect(queue.enqueue(bytes(9), ticket: 2) == .wait)
        // There will be space for this one earlier, but it does not overtake.
        #expect(queue.enqueue(bytes(1), ticket: 3) == .wait)
        #expect(queue.wrote(5).woken == [])
        #expect(queue.wrote(4).woken == [2])
        let last = queue.wrote(1)
        #expect(last.woken == [3])
        #expect(last.next == .write(bytes(10)))
    }

    @Test func nothingWaitsForAllBeforeIt() {
        var queue = OutgoingQueue(limit: 10)
        #expect(queue.enqueue([], ticket: 1) == .queued)
        #expect(queue.enqueue(bytes(2), ticket: 2) == .write(bytes(2)))
        #expect(queue.enqueue([], ticket: 3) == .wait)
        #expect(queue.wrote(1).woken == [])
        let last = queue.wrote(1)
        #expect(last.woken == [3])
        #expect(last.next == .done)
    }

    @Test func withdrawnMessagesAreNotSent() {
        var queue = OutgoingQueue(limit: 1)
        _ = queue.enqueue(bytes(2), ticket: 1)
        #expect(queue.enqueue(bytes(3), ticket: 2) == .wait)
        #expect(queue.isWaiting(2))
        let (first, second) = (queue.withdraw(2), queue.withdraw(2))
        #expect(first)
        #expect(!second)
        #expect(queue.wrote(2).next == .done)
    }

    @Test func aClosedQueueTakesNothing() {
        var queue = OutgoingQueue(limit: 1)
        _ = queue.enqueue(bytes(2), ticket: 1)
        _ = queue.enqueue(bytes(3), ticket: 2)
        _ = queue.enqueue(bytes(3), ticket: 3)
        #expect(queue.close() == [2, 3])
        #expect(queue.close() == [])
        #expect(queue.enqueue(bytes(1), ticket: 4) == .closed)
        #expect(queue.wrote(1).next == .done)
        #expect(queue.queued == 0)
    }

    /// Whatever the order of sending and writing, all bytes come out once and in order, and the limit holds.
    @Test(arguments: 0..<40 as Range<UInt64>) func keepsOrderAndLimit(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit = Int.random(in: 1...64, using: &random)
        var queue = OutgoingQueue(limit: limit)
        var next: UInt8 = 0
        var expected: [UInt8] = []
        var out: [UInt8] = []
        var inHand: [UInt8] = []
        for ticket in 0..<300 as Range<UInt64> {
            if Bool.random(using: &random) {
                let message = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                    next &+= 1
                    return next
                }
                expected += message
                if case .write(let bytes) = queue.enqueue(message, ticket: ticket) { inHand = bytes }
            } else if !inHand.isEmpty {
                let count = Int.random(in: 1...inHand.count, using: &random)
                out += inHand[..<count]
                inHand.removeFirst(count)
                if case .write(let bytes) = queue.wrote(count).next { inHand = bytes }
            }
            #expect(queue.queued <= max(limit, 20))
        }
        while !inHand.isEmpty {
            out += inHand
            let count = inHand.count
            inHand = []
            if case .write(let bytes) = queue.wrote(count).next { inHand = bytes }
        }
        #expect(out == expected)
        #expect(queue.isEmpty)
    }
}

extension ClientIdentity {
    fileprivate static let other = ClientIdentity(uid: 65_534, groups: [65_534], proof: "peer")
    fileprivate static let meter = ClientIdentity(uid: 1_000, groups: [1_000], proof: "token")
}

@Suite struct ConnectionStateTests {
    /// Makes a call that tries to prove an identity; returns the error.
    private func attempt(_ state: inout ConnectionState, _ proved: ClientIdentity?) throws -> AuthenticationError? {
        let started = state.begin()
        let serial = try #require(started)
        defer { _ = state.finish(serial) }
        do {
            let identity = try state.attempt(serial) { proved }
            #expect(identity == proved)
            return nil
        } catch {
            return error
        }
    }

    @Test("An identity is proved once, after failed attempts only")
    func proof() throws {
        var state = ConnectionState(.other)
        for _ in 0..<2 {
            let error = try attempt(&state, nil)
            #expect(error == .refused && state.identity == .other)
        }
        let (third, fourth) = (try attempt(&state, .meter), try attempt(&state, .other))
        #expect(third == nil && fourth == .late && state.identity == .meter)
    }

    @Test("After another call, and after three failed attempts, nothing is proved")
    func late() throws {
        var used = ConnectionState(.other)
        let call = used.begin() ?? 0
        _ = used.finish(call)
        let late = try attempt(&used, .meter)
        #expect(late == .late && used.identity == .other)
        var exhausted = ConnectionState(.other)
        let errors = try (0..<4).map { try attempt(&exhausted, $0 < 3 ? nil : .meter) }
        #expect(errors == [.refused, .refused, .refused, .late] && exhausted.identity == .other)
    }

    @Test func servesOneCallAfterTheOther() {
        var state = ConnectionState(.other)
        let first = state.begin() ?? 0
        #expect(first != 0)
        let busy = state.begin()
        #expect(busy == nil)
        #expect(state.sending(first) == .allowed)
        #expect(state.sending(first &+ 1) == .callEnded)
        let finished = state.finish(first)
        #expect(finished)
        #expect(state.sending(first) == .callEnded)
        let again = state.finish(first)
        #expect(!again)
        let second = state.begin() ?? 0
        #expect(second != first)
        #expect(state.sending(first) == .callEnded)
    }

    @Test func theFirstReasonStays() {
        var state = ConnectionState(.other)
        let call = state.begin() ?? 0
        #expect(call != 0)
        #expect(state.reason == nil)
        let (first, second) = (state.end(.stalled), state.end(.closed))
        #expect(first)
        #expect(!second)
        #expect(state.reason == .stalled)
        #expect(state.sending(call) == .disconnected)
        let finished = state.finish(call)
        #expect(!finished)
        let none = state.begin()
        #expect(none == nil)
    }
}
