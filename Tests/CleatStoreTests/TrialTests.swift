import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

@Suite struct TrialTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ limits: StoreLimits = StoreLimits()) throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
    }

    /// A store at generation 1, with `a` = 1 and `b` = 1.
    func filled() throws -> StoreFile {
        let store = try open()
        try store.set(("a", 1), ("b", 1))
        return store
    }

    static let changes: [(String, JSONValue?)] = [("a", 2), ("b", nil), ("c", 3)]

    func code(_ body: () throws -> Void) -> StoreError? { #expect(throws: StoreError.self) { try body() } }

    @Test func whatIsArmedIsNotWhatBoots() throws {
        var store = try filled()
        let mementos = [memento("file:/etc/hostname", []), memento("kernel.hostname", adapter: "hostname", [0, 255])]
        let origins = [memento("file:/etc/hostname", [7])]
        let outcome = try store.trials.arm(
            try request("mine", Self.changes, expect: store.generation, comment: "why"),
            TrialRequest(window: 5000, mementos: mementos, origins: origins))
        let expected = [
            StoredChange(path: try SettingPath("a"), old: 1, new: 2),
            StoredChange(path: try SettingPath("b"), old: 1, new: nil),
            StoredChange(path: try SettingPath("c"), old: nil, new: 3),
        ]
        let pending = GenerationRef(store: store.generation.store, generation: 2)
        #expect(outcome == .pending(pending, expected))
        for _ in 0..<2 {
            #expect(store.generation.generation == 1)
            #expect(try store.settings.state().generation.generation == 1)
            #expect(try store.values == ["a": 1, "b": 1])
            #expect(try store.settings.setting(at: try SettingPath("a"))?.generation == 1)
            #expect(
                try store.trials.current()
                    == StoredTrial(
                        generation: pending, id: "mine", owner: "tester", phase: .armed, window: 5000, deadline: nil,
                        began: stamp, failures: nil, changes: expected,
                        mementos: mementos))
            #expect(try store.history.record(id: "mine")?.state == .pending)
            #expect(try store.history.record(number: 2)?.comment == "why")
            #expect(try store.history.generations(before: nil, limit: 9).map(\.state) == [.pending, .confirmed])
            #expect(try store.compare(1, 2) == ["a 1 2", "b 1 -", "c - 3"])
            #expect(try store.compare(2, 0) == ["a 2 -", "c 3 -"])
            #expect(try store.resources.origins().map(\.resource) == ["file:/etc/hostname"])
            #expect(try store.resources.origins().map(\.generation) == [2])
            #expect(try store.resources.origins().map(\.size) == [1])
            #expect(try store.resources.origin(of: "file:/etc/hostname") == origins[0])
            #expect(try store.resources.origin(of: "kernel.hostname") == nil)
            #expect(try store.statistics().settings == 2)
            #expect(try store.statistics().generations == 2)
            try store.close(stamp: nil)
            store = try open()
        }
    }

    @Test func aConfirmedTrialIsWhatBoots() throws {
        var store = try filled()
        try store.arm("mine", Self.changes, mementos: [memento("r")], origins: [memento("r"), memento("s")])
        guard
            case .confirmed(let reference, let changes) = try store.trials.confirm(
                id: "mine", forgetting: ["s", "none"])
        else { throw Unexpected(what: "not confirmed") }
        #expect(reference.generation == 2)
        #expect(changes.map(\.path.text) == ["a", "b", "c"])
        for _ in 0..<2 {
            #expect(store.generation == reference)
            #expect(try store.values == ["a": 2, "c": 3])
            #expect(try store.settings.setting(at: try SettingPath("a"))?.generation == 2)
            #expect(try store.trials.current() == nil)
            #expect(try store.resources.origins().map(\.resource) == ["r"])
            #expect(try store.history.record(number: 2)?.state == .confirmed)
            #expect(try store.statistics().settings == 2)
            let record = try #require(try store.history.record(number: 2))
            #expect(try store.trials.confirm(id: "mine") == .repeated(record))
            let error = code { _ = try store.trials.revert(id: "mine", stamp: stamp, reason: "late") }
            #expect(error?.code == .trialEnded)
            try store.close(stamp: nil)
            store = try open()
        }
        #expect(try store.set(("a", 9)) == 3)
    }

    @Test func anUndoneTrialLeavesNothingButHistory() throws {
        var store = try filled()
        try store.arm("first", [("a", 0)], origins: [memento("old")])
        _ = try store.trials.confirm(id: "first")
        try store.arm("mine", Self.changes, mementos: [memento("r")], origins: [memento("new"), memento("old", [9])])
        let outcome = try store.trials.revert(id: "mine", stamp: stamp, author: "root", reason: "no link")
        let inverse = [
            StoredChange(path: try SettingPath("a"), old: 2, new: 0),
            StoredChange(path: try SettingPath("b"), old: nil, new: 1),
            StoredChange(path: try SettingPath("c"), old: 3, new: nil),
        ]
        #expect(outcome == .reverted(GenerationRef(store: store.generation.store, generation: 4), inverse))
        for _ in 0..<2 {
            #expect(store.generation.generation == 4)
            #expect(try store.values == ["a": 0, "b": 1])
            #expect(try store.settings.setting(at: try SettingPath("b"))?.generation == 1)
            #expect(try store.trials.current() == nil)
            #expect(try store.resources.origins().map(\.resource) == ["old"])
            #expect(try store.resources.origin(of: "old")?.state == Array("old".utf8), "the older origin stays")
            #expect(try store.history.generations(before: nil, limit: 2).map(\.state) == [.confirmed, .reverted])
            let undoing = try #require(try store.history.record(number: 4))
            #expect(undoing.id == "revert-mine")
            #expect(undoing.author == "root")
            #expect(undoing.comment == nil && undoing.note == .reverts(3, id: "mine", reason: "no link"))
            #expect(undoing.remarks == "generation 3 (“mine”) was reverted: no link")
            #expect(try store.history.record(reverting: 3) == undoing)
            #expect(try store.history.record(reverting: 2) == nil)
            #expect(undoing.changes == inverse)
            #expect(try store.compare(2, 4) == [])
            #expect(try store.compare(2, 3) == ["a 0 2", "b 1 -", "c - 3"])
            #expect(try store.compare(3, 4) == ["a 2 0", "b - 1", "c 3 -"])
            let record = try #require(try store.history.record(number: 3))
            #expect(try store.trials.revert(id: "mine", stamp: stamp, reason: "again") == .repeated(record))
            #expect(code { _ = try store.trials.confirm(id: "mine") }?.code == .trialEnded)
            let statistics = try store.statistics()
            #expect(statistics.settings == 2)
            #expect(statistics.generations == 4)
            try store.close(stamp: nil)
            store = try open()
            #expect(try store.statistics().historyBytes == statistics.historyBytes)
        }
        #expect(try store.set(("a", 9)) == 5)
    }

    @Test func whileOneIsOnTrialEveryOtherWriteIsRefused() throws {
        let store = try filled()
        try store.arm("mine", Self.changes)
        let before = try store.view()
        let written = try store.statistics().bytesWritten
        for error in [
            code { _ = try store.commits.commit(try request("other", [("a", 5)])) },
            code { _ = try store.commits.commit(try request("idle", [("a", 1)])) },
            code { _ = try store.trials.arm(try request("other", [("a", 5)]), TrialRequest()) },
        ] {
            #expect(error?.code == .pending)
            #expect(error?.subject == "mine")
            #expect(error?.generation?.generation == 2)
            for word in ["mine", "tester"] {
                #expect(error?.description.contains(word) == true, "\(error?.description ?? "")")
            }
        }
        #expect(try store.view() == before)
        #expect(try store.statistics().bytesWritten == written)
    }

    @Test func aRetryOfArmingGivesTheSameResult() throws {
        var store = try filled()
        let asked = try request("mine", Self.changes, expect: store.generation)
        _ = try store.trials.arm(asked, TrialRequest(mementos: [memento("r")]))
        for state in [GenerationState.pending, .reverted] {
            for _ in 0..<2 {
                let record = try #require(try store.history.record(id: "mine"))
                #expect(record.state == state)
                #expect(try store.trials.arm(asked, TrialRequest()) == .repeated(record))
                #expect(try store.commits.commit(asked) == .repeated(record))
                let error = code {
                    _ = try store.trials.arm(try request("mine", [("a", 7)], hash: "other"), TrialRequest())
                }
                #expect(error?.code == .idReused)
                try store.close(stamp: nil)
                store = try open()
            }
            if state == .pending { try store.undo() }
        }
        let later = code {
            _ = try store.trials.arm(try request("x", [("a", 7)], expect: asked.expect), TrialRequest())
        }
        #expect(later?.code == .conflict)
        #expect(
            try store.trials.arm(try request("idle", [("a", 1)]), TrialRequest(mementos: [memento("r")]))
                == .unchanged(store.generation))
        #expect(try store.trials.current() == nil)
    }

    @Test func whatIsNotOnTrialCannotBeEnded() throws {
        let store = try filled()
        #expect(code { _ = try store.trials.confirm(id: "mine") }?.code == .noTrial)
        #expect(code { _ = try store.trials.revert(id: "mine", stamp: stamp, reason: "") }?.code == .noTrial)
        #expect(code { _ = try store.trials.revert(stamp: stamp, reason: "") }?.code == .noTrial)
        #expect(code { try store.trials.markReverting() }?.code == .noTrial)
        #expect(code { try store.trials.awaitConfirm(deadline: deadline(1)) }?.code == .noTrial)
        #expect(code { try store.trials.extend(to: deadline(1)) }?.code == .noTrial)
        #expect(code { try store.trials.markRevertFailed("x") }?.code == .noTrial)
        try store.arm("mine", Self.changes)
        let before = try store.view()
        for error in [
            code { _ = try store.trials.confirm(id: "yours") },
            code { _ = try store.trials.revert(id: "yours", stamp: stamp, reason: "") },
        ] {
            #expect(error?.code == .otherTrial)
            #expect(error?.description.contains("mine") == true)
        }
        #expect(code { _ = try store.trials.revert(id: "set-1", stamp: stamp, reason: "") }?.code == .trialEnded)
        #expect(try store.view() == before)
    }

    @Test func phasesAreKeptAndFollowEachOther() throws {
        var store = try filled()
        try store.arm("mine", Self.changes)
        func reopen() throws {
            try store.close(stamp: nil)
            store = try open()
        }
        try reopen()
        #expect(try store.trials.current()?.phase == .armed)
        #expect(code { try store.trials.extend(to: deadline(5)) }?.code == .wrongPhase)
        #expect(
            code { try store.trials.awaitConfirm(deadline: TrialDeadline(bootID: "", bootTime: 1)) }?.code == .limit)
        try store.trials.awaitConfirm(deadline: deadline(5000))
        try reopen()
        #expect(try store.trials.current()?.phase == .awaitingConfirm)
        #expect(try store.trials.current()?.deadline == deadline(5000))
        #expect(code { try store.trials.awaitConfirm(deadline: deadline(6000)) }?.code == .wrongPhase)
        try store.trials.extend(to: deadline(9000))
        try store.trials.extend(to: deadline(8000))
        try reopen()
        #expect(try store.trials.current()?.deadline == deadline(8000))
        try store.trials.markReverting()
        let written = try store.statistics().bytesWritten
        try store.trials.markReverting()
        #expect(try store.statistics().bytesWritten == written, "what is there is not written again")
        #expect(code { _ = try store.trials.confirm(id: "mine") }?.code == .wrongPhase)
        #expect(code { try store.trials.extend(to: deadline(1)) }?.code == .wrongPhase)
        let long = String(repeating: "é", count: 3000)
        try store.trials.markRevertFailed("x" + long)
        try reopen()
        #expect(try store.trials.current()?.phase == .revertFailed)
        #expect(try store.trials.current()?.failures == "x" + long.prefix(2047))
        #expect(code { _ = try store.trials.confirm(id: "mine") }?.code == .wrongPhase)
        #expect(code { try store.trials.awaitConfirm(deadline: deadline(1)) }?.code == .wrongPhase)
        try store.trials.markReverting()
        try store.trials.markRevertFailed("less")
        #expect(try store.trials.current()?.failures == "less")
        #expect(try store.undo() == 3)
        #expect(try store.values == ["a": 1, "b": 1])
    }

    @Test func aPhaseOfALaterReleaseIsShownAndCanBeUndone() throws {
        let store = try filled()
        try store.arm("mine", Self.changes)
        try #require(store.database).run("UPDATE trial SET phase = 'probing'")
        #expect(try store.trials.current()?.phase == .other("probing"))
        #expect(code { _ = try store.trials.confirm(id: "mine") }?.code == .wrongPhase)
        #expect(try store.undo() == 3)
    }

    @Test func theIDOfTheRevertIsFree() throws {
        let store = try filled()
        let long = String(repeating: "i", count: StoreLimits.idBytes)
        try store.arm(long, [("a", 2)])
        try store.undo()
        #expect(try store.history.record(number: 3)?.id == "revert-2")
        _ = try store.commits.commit(try request("revert-x", [("a", 3)]))
        _ = try store.commits.commit(try request("revert-6", [("a", 4)]))
        try store.arm("x", [("a", 5)])
        try store.undo(String(repeating: "\u{1F600}", count: 400))
        let record = try #require(try store.history.record(number: 7))
        #expect(record.id == "revert-6-2")
        guard case .reverts(6, id: "x", let reason)? = record.note else { throw Unexpected(what: "\(record)") }
        #expect(reason == String(repeating: "\u{1F600}", count: StoreLimits.commentBytes / 4))
        #expect(record.remarks?.hasSuffix("\u{1F600}") == true)
    }

    @Test func limitsAreNamed() throws {
        let store = try filled()
        let large = [UInt8](repeating: 1, count: StoreLimits.mementoBytes)
        let cases: [(TrialRequest, String)] = [
            (TrialRequest(mementos: [memento("r", large + [1])]), "1048576 bytes"),
            (TrialRequest(origins: [memento("r", large + [1])]), "1048576 bytes"),
            (
                TrialRequest(
                    mementos: (0...8).map { memento("r\($0)", large) },
                    origins: (0...7).map { memento("o\($0)", large) }), "16777216 bytes"
            ),
            (TrialRequest(mementos: [memento("")]), "1 to 4352 bytes"),
            (TrialRequest(mementos: [memento(String(repeating: "r", count: 4353))]), "1 to 4352 bytes"),
            (TrialRequest(mementos: [memento("r", adapter: "")]), "1 to 256 bytes"),
            (TrialRequest(mementos: (0...4096).map { memento("r\($0)") }), "4096 resources"),
        ]
        let before = try store.view()
        let written = try store.statistics().bytesWritten
        for (trial, limit) in cases {
            let error = code { _ = try store.trials.arm(try request("mine", Self.changes), trial) }
            #expect(error?.code == .limit)
            #expect(error?.description.contains(limit) == true, "\(error?.description ?? "")")
        }
        #expect(try store.view() == before)
        #expect(try store.statistics().bytesWritten == written)
    }

    @Test func theLargestTrialIsTakenAndGivenBack() throws {
        var store = try filled()
        let mementos = (0..<16).map {
            memento("r\($0)", [UInt8](repeating: UInt8($0), count: StoreLimits.mementoBytes))
        }
        try store.arm("mine", Self.changes, mementos: mementos)
        try store.close(stamp: nil)
        store = try open()
        #expect(try store.trials.current()?.mementos == mementos)
        try store.undo()
        #expect(try #require(store.database).value("SELECT count(*) FROM mementos", as: Int64.self) == 0)
    }

    @Test func theSecondCopyHoldsWhatIsConfirmed() throws {
        let store = try filled()
        try store.copies.writeIfDue(stamp)
        try store.arm("mine", Self.changes)
        #expect(store.copies.delay(bootID: "boot-z", bootTime: .max / 2) == nil, "what is on trial makes no copy stale")
        try store.undo()
        #expect(store.copies.delay(bootID: "boot-z", bootTime: .max / 2) == 0)
        try store.arm("next", [("a", 7)])
        try store.close(stamp: stamp)
        let copy = try directory.read("settings.copy.json")
        #expect(copy.contains("\"generation\":3"))
        #expect(copy.contains("\"a\":1"))
    }

    @Test func historyIsNeverTakenFromUnderATrial() throws {
        let store = try open()
        for index in 1...60 as ClosedRange<Int64> { try store.set(("a", .integer(index))) }
        store.limits.generations = 4
        store.limits.historyBytes = 0
        store.limits.freeBytes = .max
        let pending = try store.arm("mine", [("a", 0), ("b", .string(String(repeating: "x", count: 5000)))])
        try store.history.prune()
        #expect(try store.history.record(number: pending - 1) != nil)
        #expect(try store.history.record(number: pending)?.changes.count == 2)
        #expect(try store.compare(pending - 1, pending).count == 2)
        #expect(try store.statistics().generations >= 2)
        let undoing = try store.undo()
        #expect(try store.compare(pending, undoing).count == 2)
        for index in 1...10 as ClosedRange<Int64> { try store.set(("a", .integer(-index))) }
        #expect(try store.statistics().generations <= 5)
    }

    @Test func aTrialOfTheFirstGenerationIsUndoneToo() throws {
        var store = try open()
        #expect(try store.arm("mine", [("a", 1)]) == 1)
        #expect(store.generation.generation == 0)
        try store.close(stamp: nil)
        store = try open()
        #expect(store.generation.generation == 0)
        #expect(try store.compare(0, 1) == ["a - 1"])
        #expect(try store.undo() == 2)
        #expect(try store.compare(0, 2) == [])
        #expect(try store.values.isEmpty)
    }

    @Test func theLastNumberIsKeptForTheRevert() throws {
        var store = try filled()
        try #require(store.database).run("UPDATE generations SET number = ?", [.integer(.max - 2)])
        try #require(store.database).run("UPDATE changes SET generation = ?", [.integer(.max - 2)])
        try store.close(stamp: nil)
        store = try open()
        #expect(try store.arm("mine", [("a", 2)]) == .max - 1)
        #expect(try store.undo() == .max)
        for error in [
            code { try store.arm("next", [("a", 3)]) },
            code { _ = try store.commits.commit(try request("x", [("a", 3)])) },
        ] { #expect(error?.code == .limit) }
        #expect(try store.values == ["a": 1, "b": 1])
    }
}
