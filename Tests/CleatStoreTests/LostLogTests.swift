import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

@Suite(.tags(.board, .fault)) struct LostLogTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open() throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: StoreLimits())
    }

    var log: String { directory.appending("settings.db-wal") }

    /// A way for the log to be lost.
    enum Loss: String, CaseIterable {
        case removed, empty, zeroed, cut, random

        func apply(to path: String) throws {
            let content = try bytes(path)
            var random = SeededGenerator(seed: 3)
            switch self {
            case .removed: try DirectoryListing.remove(path)
            case .empty: try write([], to: path)
            case .zeroed: try write([UInt8](repeating: 0, count: content.count), to: path)
            // Less than one frame is left.
            case .cut: try write(Array(content.prefix(900)), to: path)
            case .random: try write(random.bytes(content.count), to: path)
            }
        }
    }

    /// Makes a store whose main file ends with generation 2, and whose log holds 3 to 5.
    func fill() throws -> GenerationRef {
        var store = try open()
        try store.set(("a", 1))
        try store.set(("a", 2))
        try store.close(stamp: nil)
        store = try open()
        for number in 3...5 { try store.set(("a", .integer(Int64(number)))) }
        return store.generation
    }

    @Test(arguments: Loss.allCases)
    func withoutACopyTheStoreContinuesAboveWhatWasLostAndReportsIt(loss: Loss) throws {
        let former = try fill()
        try loss.apply(to: log)
        let store = try open()
        #expect(store.opening.lost?.found == 2 && store.opening.lost?.newest == 5)
        #expect(store.opening.lost?.isDamaged == false && store.opening.notes.count == 1)
        #expect(try store.values == ["a": 2])
        #expect(store.generation == GenerationRef(store: former.store, generation: 6))
        #expect(try store.history.record(number: 6)?.state == .restored)
        #expect(try store.set(("a", 7)) == 7)
        try store.close(stamp: nil)
        let again = try open()
        #expect(again.opening == StoreOpening())
        #expect(try again.values == ["a": 7])
    }

    @Test(arguments: Loss.allCases)
    func aNewerCopyIsTakenAndTheHistoryStays(loss: Loss) throws {
        let former = try fill()
        do {
            let store = try open()
            try store.copies.writeIfDue(stamp)
            try store.set(("a", 6), ("b", true))
        }
        try loss.apply(to: log)
        let store = try open()
        #expect(store.opening.lost?.copied == 5 && store.opening.lost?.newest == 6)
        #expect(try store.values == ["a": 5])
        #expect(store.generation == GenerationRef(store: former.store, generation: 7))
        #expect(try store.history.record(number: 2)?.state == .confirmed)
        #expect(try store.statistics().settings == 1)
        // What the log was is kept, where it was one.
        #expect((store.opening.lost?.log != nil) == (loss == .cut))
        #expect(throws: StoreError.self) { try store.history.differences(from: 2, to: 7) }
        #expect(try store.history.differences(from: 1, to: 2).map(\.path.text) == ["a"])
    }

    @Test(arguments: Loss.allCases)
    func afterACleanEndTheLogIsOfNoImportance(loss: Loss) throws {
        _ = try fill()
        try open().close(stamp: nil)
        try loss.apply(to: log)
        let store = try open()
        #expect(store.opening == StoreOpening())
        #expect(try store.values == ["a": 5])
    }

    @Test func aCopyWhoseHeaderIsDamagedIsNoReasonToBelieveThatTheLogWasLost() throws {
        _ = try fill()
        try open().close(stamp: stamp)
        let copy = directory.appending("settings.copy.json")
        let text = try directory.read("settings.copy.json")
        try write(
            Array(text.split(separator: "\"generation\":5").joined(separator: "\"generation\":95").utf8), to: copy)
        let store = try open()
        #expect(store.opening == StoreOpening())
        #expect(store.copies.delay(bootID: "boot-a", bootTime: 0) == 0, "it is written anew")
    }

    @Test func aTextThatABitMadeABlobIsDamage() throws {
        let first = try open()
        try first.set(("a", 1))
        try first.close(stamp: stamp)
        do {
            let database = try Database(path: directory.appending("settings.db"))
            try database.execute("PRAGMA locking_mode=EXCLUSIVE")
            try database.execute("UPDATE settings SET value = CAST('2' AS BLOB)")
            database.dropStatements()
        }
        let store = try open()
        #expect(store.opening.quarantined.first?.file == "settings.db")
        #expect(try store.values == ["a": 1])
    }

    @Test func aTrialOutlastsDamageToAnotherSetting() throws {
        do {
            let first = try open()
            try first.set(("a", 1), ("b", 1))
            _ = try first.trials.arm(try request("try", [("b", 2)]), TrialRequest(window: 60_000, mementos: []))
            try first.store.open().run("UPDATE settings SET value = '7' WHERE path = 'a'")
        }
        let store = try open()
        #expect(store.opening.lost?.isDamaged == true)
        #expect(try store.trials.current()?.id == "try")
        // The settings that the trial was made on are gone: it can only be reverted.
        #expect(store.generation.generation == 3)
        let refused = #expect(throws: StoreError.self) { try store.trials.confirm(id: "try") }
        #expect(refused?.code == .conflict && refused?.subject == "try")
        #expect(try store.trials.current()?.id == "try")
        #expect(try store.values == ["a": 7, "b": 1] && store.generation.generation == 3)
        _ = try store.trials.revert(id: "try", stamp: stamp, reason: "test")
        #expect(try store.trials.current() == nil)
        #expect(try store.values == ["a": 7, "b": 1] && store.generation.generation == 4)
    }

    /// The trial is in the main file; its revert was in the log only.
    @Test func theFingerprintsOfATrialThatEndsWithTheLogAreThoseBeforeIt() throws {
        func fingerprint(_ resource: String, _ word: String) -> StoredFingerprint {
            StoredFingerprint(resource: resource, adapter: "file", wanted: word, found: word)
        }
        let store = try open()
        try store.arm("one", [("a", 1)], mementos: [memento("r")], origins: [memento("r")])
        _ = try store.trials.confirm(id: "one", fingerprints: [fingerprint("r", "one")])
        try store.arm("two", [("a", 2)], mementos: [memento("r"), memento("s")])
        try store.trials.awaitConfirm(
            deadline: deadline(1), fingerprints: [fingerprint("r", "two"), fingerprint("s", "two")])
        try store.database?.checkpoint()
        let kept = try bytes(directory.appending("settings.db"))
        try store.undo()
        let note = try bytes(directory.appending("settings.newest"))
        try store.close(stamp: nil)
        try write(kept, to: directory.appending("settings.db"))
        try write(note, to: directory.appending("settings.newest"))
        try Loss.removed.apply(to: log)
        let later = try open()
        #expect(later.opening.lost?.found == 1 && later.opening.lost?.newest == 3)
        #expect(try later.trials.current() == nil)
        #expect(try later.history.record(id: "two")?.state == .reverted)
        #expect(try later.values == ["a": 1])
        #expect(try later.resources.fingerprints() == [fingerprint("r", "one")])
    }

    @Test func aConfirmationThatWasLostIsMadeAgain() throws {
        let store = try open()
        try store.set(("a", 1))
        _ = try store.trials.arm(try request("try", [("a", 2)]), TrialRequest(window: 60_000, mementos: []))
        try store.database?.checkpoint()
        _ = try store.trials.confirm(id: "try")
        let note = try bytes(directory.appending("settings.newest"))
        let kept = try bytes(directory.appending("settings.db"))
        try store.close(stamp: nil)
        try write(kept, to: directory.appending("settings.db"))
        try write(note, to: directory.appending("settings.newest"))
        try Loss.removed.apply(to: log)
        let later = try open()
        #expect(try later.trials.current() == nil)
        #expect(try later.values == ["a": 2])
        #expect(later.generation.generation == 2)
        #expect(later.opening.confirmedAgain != nil && later.opening.lost == nil)
    }

    @Test func aCleanEndKeepsTheLengthOfTheLog() throws {
        _ = try fill()
        let size = try bytes(log).count
        try open().close(stamp: nil)
        #expect(try bytes(log).count == size)
    }

    @Test func aTrialThatEndedIsNotOnTrialAgain() throws {
        let store = try open()
        try store.set(("a", 1))
        _ = try store.trials.arm(try request("try", [("a", 2)]), TrialRequest(window: 60_000, mementos: []))
        try store.database?.checkpoint()
        _ = try store.trials.confirm(id: "try")
        try store.copies.writeIfDue(stamp)
        let kept = try bytes(directory.appending("settings.db"))
        try store.close(stamp: nil)
        try write(kept, to: directory.appending("settings.db"))
        try DirectoryListing.remove(directory.appending("settings.newest"))
        try Loss.removed.apply(to: log)
        let later = try open()
        #expect(try later.trials.current() == nil)
        #expect(try later.values == ["a": 2])
        #expect(later.generation.generation == 3)
    }

    @Test func anUnknownSettingIsReplacedByTheCopy() throws {
        var store = try open()
        try store.set(("system/timezone", "A299"), ("a", 1))
        try store.close(stamp: stamp)
        for (copied, value) in [(true, "A299"), (false, "E299")] as [(Bool, JSONValue)] {
            // The log still has the pages, with checksums, and would do.
            try DirectoryListing.remove(log)
            let main = directory.appending("settings.db")
            var content = try bytes(main)
            let pattern = Array("A299".utf8)
            for start in content.indices.dropLast(4) where Array(content[start..<start + 4]) == pattern {
                content[start] ^= 4
            }
            try write(content, to: main)
            if !copied { try DirectoryListing.remove(directory.appending("settings.copy.json")) }
            store = try open()
            #expect(store.opening.lost?.isDamaged == true)
            #expect(try store.values["system/timezone"] == value)
            try store.close(stamp: stamp)
        }
    }

    @Test(arguments: [-1, 0, 1, 2, 3])
    func theSumFollowsEveryKindOfCommit(last: Int64) throws {
        let store = try open()
        try store.set(("a", 1), ("b", 2), ("c", 3))
        try store.set(("a", nil), ("b", 4), ("d", .integer(last)))
        for end in ["confirm", "revert"] {
            _ = try store.trials.arm(
                try request(end, [("b", nil), ("c", .string(end)), ("e", .integer(last))]),
                TrialRequest(window: 60_000, mementos: []))
            if end == "confirm" {
                _ = try store.trials.confirm(id: end)
            } else {
                _ = try store.trials.revert(id: end, stamp: stamp, reason: "test")
            }
            #expect(store.store.figures.settingsSum == (try sum(store)))
        }
    }

    private func sum(_ store: StoreFile) throws -> SettingsSum {
        var sum = SettingsSum()
        for setting in try store.settings.state().settings { sum.add(setting.path.text, setting.value.canonicalText) }
        return sum
    }

    @Test func aFlippedBitOfTheNoteOrOfTheCopyIsNoticed() throws {
        _ = try fill()
        try open().close(stamp: stamp)
        let note = try bytes(directory.appending("settings.newest"))
        #expect(note.count == NewestNote.size)
        let copy = try bytes(directory.appending("settings.copy.json"))
        #expect(NewestNote(bytes: note) != nil && SecondCopy.read(copy).copy != nil)
        for bit in 0..<8 * note.count {
            var damaged = note
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(NewestNote(bytes: damaged) == nil, "bit \(bit)")
        }
        for bit in 0..<8 * copy.count {
            var damaged = copy
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(SecondCopy.read(damaged).copy == nil, "bit \(bit)")
        }
    }
}
