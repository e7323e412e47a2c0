import Cleat
import CleatEmbedded
import CleatTestSupport
import Testing

@Suite("changes on trial, in memory")
struct TrialTests {
    private struct Gone: Error {}

    private func client() async throws -> Cleat { try await Cleat.inMemory(schemas: [lampSchema]) }

    /// Returns the code of the error of a call; nil if it succeeds.
    private static func code(_ body: () async throws -> Void) async -> CleatError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? CleatError)?.code
        }
    }

    @Test("a confirmed change stays, and an end that is repeated is the same")
    func confirmed() async throws {
        let cleat = try await client()
        let outcome = try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 5
        } whileOnTrial: { trial in
            #expect(trial.generation == 1)
            #expect(try await cleat[.brightness] == 5)
            try await trial.confirm()
            try await trial.confirm()
            await #expect(throws: CleatError.self) { try await trial.abort() }
        }
        #expect(outcome == .confirmed(generation: 1))
        #expect(try await cleat[.brightness] == 5)
    }

    @Test("the end of the scope reverts an unconfirmed change", arguments: [false, true])
    func unconfirmed(aborts: Bool) async throws {
        let cleat = try await client()
        try await cleat.set(.brightness, to: 7)
        let outcome = try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 5
        } whileOnTrial: { trial in
            if aborts { try await trial.abort() }
        }
        #expect(outcome == .reverted(generation: 3))
        #expect(try await cleat[.brightness] == 7)
    }

    @Test("an error in the scope reverts the change, and is thrown")
    func failed() async throws {
        let cleat = try await client()
        await #expect(throws: Gone.self) {
            try await cleat.edit(confirm: .seconds(60)) {
                $0[.brightness] = 5
            } whileOnTrial: { _ in
                throw Gone()
            }
        }
        #expect(try await cleat[.brightness] == 80)
        try await cleat.set(.brightness, to: 9)
    }

    @Test("a change whose window is over is reverted; an extended one is not")
    func over() async throws {
        let cleat = try await client()
        var values = cleat.changes(of: .brightness).makeAsyncIterator()
        #expect(try await values.next() == 80)
        let start = ContinuousClock.now
        let outcome = try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 5
        } whileOnTrial: { trial in
            let value = try await values.next()
            #expect(value == 5)
            try await trial.extend(.seconds(1))
            let former = try await values.next()
            #expect(former == 80 && ContinuousClock.now - start >= .seconds(1))
            #expect(await Self.code { try await trial.confirm() } == .ended)
            #expect(await Self.code { try await trial.extend(.seconds(5)) } == .ended)
        }
        #expect(outcome == .reverted(generation: 2))
    }

    @Test("no other change is possible meanwhile")
    func pending() async throws {
        let cleat = try await client()
        try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 5
        } whileOnTrial: { trial in
            #expect(await Self.code { try await cleat.set(.volume, to: 0.1) } == .pending)
            try await trial.confirm()
        }
        try await cleat.set(.volume, to: 0.1)
    }

    @Test("without a change there is no trial, and invalid terms change nothing")
    func refusals() async throws {
        let cleat = try await client()
        let outcome = try await cleat.edit(confirm: .seconds(60)) { _ in
        } whileOnTrial: { _ in
            Issue.record("nothing is on trial")
        }
        #expect(outcome == .unchanged)
        for (window, probes) in [
            (Duration.milliseconds(999), []), (.seconds(86_401), []), (.seconds(-1), []), (.seconds(60), ["link:eth0"]),
        ] as [(Duration, [String])] {
            do {
                try await cleat.edit(confirm: window, until: probes) {
                    $0[.brightness] = 5
                } whileOnTrial: { _ in
                    Issue.record("it is on trial")
                }
                Issue.record("\(window) was accepted")
            } catch let error as CleatError {
                #expect(error.code == .refused)
            }
        }
        #expect(try await cleat[.brightness] == 80)
    }

    @Test("observers get the value on trial, and the former one when it is reverted")
    func observed() async throws {
        let cleat = try await client()
        var values = cleat.changes(of: .brightness).makeAsyncIterator()
        #expect(try await values.next() == 80)
        try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 5
        } whileOnTrial: { _ in
            let value = try await values.next()
            #expect(value == 5)
        }
        #expect(try await values.next() == 80)
    }
}
