import Testing

@testable import CleatAgent

@Suite("The life of a change")
struct TransactionMachineTests {
    typealias Machine = TransactionMachine

    /// Drives a machine with what happens, and returns what was to be done.
    private func run(_ machine: inout Machine, _ events: [Machine.Event]) throws -> [Machine.Action] {
        try events.compactMap { try machine.handle($0) }
    }

    @Test("Without a window it is armed, applied, probed and recorded")
    func atOnce() throws {
        var machine = Machine(isTrial: false)
        let actions = try run(&machine, [.begin, .done, .done, .done, .done])
        #expect(actions == [.arm, .apply, .probe, .recordConfirmation])
        #expect(machine.state == .confirmed)
    }

    @Test(
        "On trial it waits, and ends by a confirmation, an abort or its deadline",
        arguments: [
            (Machine.Event.confirm, [Machine.Action.recordConfirmation], Machine.State.confirmed, 1),
            (.abort, [.restore, .recordRevert], .reverted, 2),
            (.windowEnded, [.restore, .recordRevert], .reverted, 2),
        ])
    func trial(event: Machine.Event, actions: [Machine.Action], end: Machine.State, steps: Int) throws {
        var machine = Machine(isTrial: true)
        let before = try run(&machine, [.begin, .done, .done, .done, .done])
        #expect(before == [.arm, .apply, .probe, .beginWindow])
        #expect(machine.state == .awaitingConfirm)
        let after = try run(&machine, [event] + Array(repeating: .done, count: steps))
        #expect(after == actions)
        #expect(machine.state == end)
    }

    @Test("Any failure after the arming is reverted; a change that cannot be armed has changed nothing")
    func failures() throws {
        var refused = Machine(isTrial: true)
        #expect(try run(&refused, [.begin, .failed]) == [.arm])
        #expect(refused.state == .refused)
        for isTrial in [false, true] {
            for good in 1...2 {
                var machine = Machine(isTrial: isTrial)
                _ = try run(&machine, [.begin] + Array(repeating: .done, count: good))
                #expect(try run(&machine, [.failed, .done, .done]) == [.restore, .recordRevert])
                #expect(machine.state == .reverted)
            }
        }
        var unrecorded = Machine(isTrial: false)
        #expect(try run(&unrecorded, [.begin, .done, .done, .done, .failed]).last == .restore)
        var waiting = Machine(isTrial: true)
        _ = try run(&waiting, [.begin, .done, .done, .done, .done, .confirm])
        #expect(try waiting.handle(.failed) == nil)
        #expect(waiting.state == .awaitingConfirm, "the confirmation can be tried again")
    }

    @Test("A failed revert stays, and is tried again from the failed step")
    func failedRevert() throws {
        var machine = Machine(isTrial: true)
        _ = try run(&machine, [.begin, .done, .done, .done, .done, .abort])
        #expect(try machine.handle(.failed) == .recordFailure)
        #expect(try machine.handle(.done) == nil)
        #expect(machine.state == .revertFailed)
        #expect(throws: IllegalTransition.self) { try machine.handle(.confirm) }
        #expect(try machine.handle(.abort) == .restore)
        #expect(try machine.handle(.done) == .recordRevert)
        #expect(try machine.handle(.failed) == nil)
        #expect(machine.state == .revertFailed)
        #expect(try machine.handle(.abort) == .recordRevert, "what is restored is not restored again")
        #expect(try machine.handle(.done) == nil)
        #expect(machine.state == .reverted)
    }

    @Test(
        "After a restart only a wait of this boot continues; everything else is reverted",
        arguments: Machine.Remains.allCases
    )
    func restart(remains: Machine.Remains) throws {
        var machine = Machine(resuming: remains)
        #expect(try machine.handle(.begin) == (remains == .waiting ? .beginWindow : .restore))
        _ = try machine.handle(.done)
        if remains == .waiting {
            #expect(machine.state == .awaitingConfirm)
            #expect(try machine.handle(.confirm) == .recordConfirmation)
        } else {
            _ = try machine.handle(.done)
            #expect(machine.state == .reverted)
        }
    }

    @Test("A rehearsal is reverted as soon as it is applied, and is never confirmed")
    func rehearsal() throws {
        var machine = Machine(isTrial: false, isRehearsal: true)
        #expect(try machine.handle(.begin) == .arm)
        #expect(try machine.handle(.done) == .apply)
        #expect(try machine.handle(.done) == .probe)
        #expect(try machine.handle(.done) == .restore)
        #expect(try machine.handle(.done) == .recordRevert)
        #expect(try machine.handle(.done) == nil)
        #expect(machine.state == .reverted)
    }

    @Test("No event leaves an end, skips the arming, or confirms what is being reverted: every state, every event")
    func everyTransition() throws {
        var reached: Set<Machine> = []
        var open =
            [false, true].map { Machine(isTrial: $0) } + [Machine(isTrial: false, isRehearsal: true)]
            + Machine.Remains.allCases.map { Machine(resuming: $0) }
        while let machine = open.popLast() {
            guard reached.insert(machine).inserted else { continue }
            for event in Machine.Event.allCases {
                var next = machine
                do {
                    let action = try next.handle(event)
                    #expect(!machine.state.isEnd, "\(machine.state) \(event)")
                    if machine.state == .reverting || machine.state == .revertFailed {
                        #expect(
                            [.reverting, .reverted, .revertFailed].contains(next.state), "\(machine.state) \(event)")
                        #expect(action != .apply && action != .recordConfirmation)
                    }
                    if action == .apply { #expect(machine.state == .prepared && event == .done) }
                    if next.state == .confirmed { #expect(machine.state == .confirming) }
                    open.append(next)
                } catch {
                    #expect(next == machine, "a refused event changes nothing")
                }
            }
        }
        #expect(Set(reached.map(\.state)) == Set(Machine.State.allCases))
        // From everywhere an end can be reached.
        for machine in reached where !machine.state.isEnd {
            var seen: Set<Machine> = [machine]
            var next = [machine]
            while let place = next.popLast(), !place.state.isEnd {
                for event in Machine.Event.allCases {
                    var other = place
                    do { _ = try other.handle(event) } catch { continue }
                    if seen.insert(other).inserted { next.append(other) }
                }
            }
            #expect(seen.contains { $0.state.isEnd }, "\(machine)")
        }
    }
}
