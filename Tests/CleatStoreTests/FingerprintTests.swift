import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

/// A fingerprint whose words are made of a number.
private func print(_ resource: String, _ number: Int) -> StoredFingerprint {
    StoredFingerprint(resource: resource, adapter: "file", wanted: "w\(number)", found: "f\(number)")
}

@Suite struct FingerprintTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ hook: StorageHook? = nil) throws(StoreError) -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits, hook: hook)
    }

    @Test func aConfirmedChangeIsRememberedAndReleasedOnesAreForgotten() throws {
        let store = try open()
        try store.arm(
            "one", [("a", 1)], mementos: [memento("r"), memento("s")], origins: [memento("r"), memento("s")])
        _ = try store.trials.confirm(id: "one", fingerprints: [print("s", 1), print("r", 1)])
        #expect(try store.resources.fingerprints() == [print("r", 1), print("s", 1)])
        try store.arm("two", [("a", nil)], mementos: [memento("r")])
        _ = try store.trials.confirm(id: "two", forgetting: ["r"])
        #expect(try store.resources.fingerprints() == [print("s", 1)])
        #expect(try store.resources.origins().map(\.resource) == ["s"])
        try store.close(stamp: nil)
        #expect(try open().resources.fingerprints() == [print("s", 1)])
    }

    @Test func whatATrialWroteCountsWithTheTrialAndGoesOrStaysWithIt() throws {
        do {
            let store = try open()
            try store.arm("one", [("a", 1)], mementos: [memento("r")], origins: [memento("r")])
            _ = try store.trials.confirm(id: "one", fingerprints: [print("r", 1)])
            try store.arm("two", [("a", 2)], mementos: [memento("r"), memento("s")])
            #expect(try store.resources.fingerprints() == [print("r", 1)])
            try store.trials.awaitConfirm(deadline: deadline(1), fingerprints: [print("r", 2), print("s", 2)])
            #expect(try store.resources.fingerprints() == [print("r", 2), print("s", 2)])
            try store.undo()
            #expect(try store.resources.fingerprints() == [print("r", 1)])
            try store.arm("three", [("a", 3)], mementos: [memento("r")])
            try store.trials.awaitConfirm(deadline: deadline(1), fingerprints: [print("r", 3)])
            try store.close(stamp: nil)
        }
        let store = try open()
        #expect(try store.resources.fingerprints() == [print("r", 3)])
        _ = try store.trials.confirm(id: "three")
        #expect(try store.resources.fingerprints() == [print("r", 3)])
        try store.arm("four", [("a", 4)])
        try store.undo()
        #expect(try store.resources.fingerprints() == [print("r", 3)])
    }

    @Test func itCostsNoFlushOfItsOwn() throws {
        func syncs(_ fingerprints: [StoredFingerprint]) throws -> Int64 {
            let store = try StoreFile(
                directory: try TemporaryDirectory().path, stamp: stamp, limits: smallLimits, hook: nil)
            try store.arm("one", [("a", 1)], mementos: [memento("r")])
            try store.trials.awaitConfirm(deadline: deadline(1), fingerprints: fingerprints)
            _ = try store.trials.confirm(id: "one", fingerprints: fingerprints)
            return try store.statistics().syncs
        }
        let more = (0..<8).map { print("r\($0)", $0) }
        #expect(try syncs(more) == syncs([]))
    }

    @Test func whatIsRememberedAlreadyIsNotWrittenAgain() throws {
        let store = try open()
        try store.set(("a", 1))
        try store.resources.remember([print("r", 1)], origins: [memento("r")])
        #expect(try store.resources.origins().map(\.generation) == [1])
        let before = try store.statistics()
        try store.resources.remember([print("r", 1)], origins: [memento("r")], forgetting: ["never known"])
        try store.resources.remember([])
        let after = try store.statistics()
        #expect(after.syncs == before.syncs && after.bytesWritten == before.bytesWritten)
        try store.resources.remember([print("r", 2)])
        #expect(try store.resources.fingerprints() == [print("r", 2)])
        try store.resources.remember([], forgetting: ["r"])
        #expect(try store.resources.fingerprints().isEmpty && store.resources.origins().isEmpty)
        #expect(try store.statistics().syncs == before.syncs + 2)
    }

    @Test(arguments: Faults.Kind.allCases)
    func aFaultLeavesAllOrNothing(kind: Faults.Kind) throws {
        do {
            let store = try open()
            try store.resources.remember([print("old", 1)], origins: [memento("old")])
            try store.close(stamp: nil)
        }
        let files = try contents(in: directory.text)
        var turn = 0
        var failures = 0
        while true {
            turn += 1
            for (name, content) in files { try write(content, to: directory.appending(name)) }
            let faults = Faults(kind, at: turn)
            var isWritten = false
            do throws(StoreError) {
                let store = try open(faults.hook)
                try store.resources.remember([print("new", 2)], origins: [memento("new")], forgetting: ["old"])
                isWritten = true
            } catch {
                failures += 1
            }
            let store = try open()
            let found = try store.resources.fingerprints()
            #expect(found == [print("new", 2)] || (!isWritten && found == [print("old", 1)]), "turn \(turn)")
            #expect(try store.resources.origins().map(\.resource) == found.map(\.resource), "turn \(turn)")
            try store.close(stamp: nil)
            guard faults.happened else { break }
        }
        #expect(failures > 3)
    }

    @Test func whatIsTooLongIsRefusedAndNothingChanges() throws {
        let store = try open()
        let long = String(repeating: "x", count: 257)
        for wrong in [
            StoredFingerprint(resource: "", adapter: "a", wanted: "", found: ""),
            StoredFingerprint(resource: String(repeating: "x", count: 4353), adapter: "a", wanted: "", found: ""),
            StoredFingerprint(resource: "r", adapter: long, wanted: "", found: ""),
            StoredFingerprint(resource: "r", adapter: "a", wanted: long, found: ""),
            StoredFingerprint(resource: "r", adapter: "a", wanted: "", found: long),
        ] {
            #expect(throws: StoreError.self) { try store.resources.remember([print("r", 1), wrong]) }
        }
        #expect(throws: StoreError.self) { try store.resources.remember((0...4096).map { print("r\($0)", 1) }) }
        #expect(try store.resources.fingerprints().isEmpty)
    }
}
