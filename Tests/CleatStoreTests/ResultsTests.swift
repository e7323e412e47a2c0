import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

/// Tests that the results of changes stay with their generations.
@Suite struct ResultsTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ limits: StoreLimits = StoreLimits()) throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
    }

    @Test func theyAreKeptWithWhatWasConfirmedAndWithWhatWasUndone() throws {
        var store = try open()
        try store.set(("a", 1))
        #expect(try store.history.record(number: 1)?.results == nil)

        try store.arm("kept", [("a", 2)])
        _ = try store.trials.confirm(id: "kept", results: "[\"done\"]")
        try store.arm("tried", [("a", 3)])
        try store.trials.awaitConfirm(deadline: deadline(1000), results: "[\"tried\"]")
        #expect(try store.history.record(number: 3)?.results == "[\"tried\"]")
        _ = try store.trials.revert(stamp: stamp, reason: "tested", results: "[\"back\"]")
        try store.arm("failed", [("a", 4)])
        _ = try store.trials.revert(stamp: stamp, reason: "tested", applied: "[\"failed\"]", results: "[\"again\"]")
        try store.arm("waited", [("a", 5)])
        try store.trials.awaitConfirm(deadline: deadline(1000), results: "[\"applied\"]")
        _ = try store.trials.confirm(id: "waited")
        let expected = [nil, "[\"done\"]", "[\"tried\"]", "[\"back\"]", "[\"failed\"]", "[\"again\"]", "[\"applied\"]"]
        for _ in 1...2 {
            #expect(try store.history.generations(before: nil, limit: 10).map(\.results) == expected.reversed())
            let counted = try store.statistics().historyBytes
            let stored: Int64? = try store.database?.value("SELECT sum(size) FROM generations")
            #expect(counted == stored)
            try store.close(stamp: nil)
            store = try open()
        }
    }

    @Test func whatIsTooLongIsRefusedAndNothingChanges() throws {
        let store = try open()
        try store.arm("a", [("a", 1)])
        let long = String(repeating: "x", count: StoreLimits.resultsBytes + 1)
        let before = try store.view()
        let calls: [() throws -> Void] = [
            { try store.trials.awaitConfirm(deadline: deadline(1000), results: long) },
            { _ = try store.trials.confirm(id: "a", results: long) },
            { _ = try store.trials.revert(stamp: stamp, reason: "r", applied: long) },
            { _ = try store.trials.revert(stamp: stamp, reason: "r", results: long) },
        ]
        for call in calls {
            #expect(#expect(throws: StoreError.self) { try call() }?.code == .limit)
            #expect(try store.view() == before)
        }
        _ = try store.trials.confirm(id: "a", results: String(long.dropLast()))
        #expect(try store.history.record(number: 1)?.results?.utf8.count == StoreLimits.resultsBytes)
    }

    @Test func theyGoWithTheirGenerations() throws {
        let store = try open(StoreLimits(generations: 8))
        for number in 1...40 {
            try store.arm("\(number)", [("a", .integer(Int64(number)))])
            _ = try store.trials.confirm(id: "\(number)", results: "[\(number)]")
        }
        let oldest = try #require(try store.statistics().oldestGeneration)
        #expect(oldest > 30)
        let left: Int64? = try store.database?.value("SELECT min(generation) FROM results")
        #expect(left == oldest)
        let sum: Int64? = try store.database?.value("SELECT sum(size) FROM generations")
        #expect(try store.statistics().historyBytes == sum)
    }
}
