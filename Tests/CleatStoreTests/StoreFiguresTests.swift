import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

/// The figures in memory count what the tables hold.
@Suite struct StoreFiguresTests {
    @Test func aChangeCountsTheSettingsAndTheirSum() {
        var figures = StoreFigures()
        figures.change("a", from: nil, to: "1")
        figures.change("b", from: nil, to: "2")
        figures.change("a", from: "1", to: "3")
        var sum = SettingsSum()
        sum.add("b", "2")
        sum.add("a", "3")
        #expect(figures.settingsCount == 2 && figures.settingsSum == sum)
        figures.change("a", from: "3", to: nil)
        figures.change("b", from: "2", to: nil)
        #expect(figures.settingsCount == 0 && figures.settingsSum == SettingsSum())
    }

    @Test func aGenerationCountsWithoutThoseThatWereDeletedForIt() {
        var figures = StoreFigures()
        for _ in 0..<5 { figures.add(100) }
        figures.add(50, pruned: (count: 2, bytes: 200))
        #expect(figures.historyCount == 4 && figures.historyBytes == 350)
    }

    @Test func whatIsReadFromTheTablesIsWhatWasCounted() throws {
        let directory = try TemporaryDirectory()
        let store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        try store.set(("a", 1), ("b", 2))
        try store.arm("mine", [("a", nil), ("c", 3)], mementos: [memento("r")])
        let (figures, _) = try StoreFigures.read(try store.store.open())
        let read = try #require(figures)
        let counted = store.store.figures
        #expect(read.number == 1 && read.lastNumber == 2 && read.pending == 2)
        #expect(read.storeID == counted.storeID && read.pending == counted.pending)
        #expect(read.settingsCount == counted.settingsCount && read.settingsSum == counted.settingsSum)
        #expect(read.historyCount == counted.historyCount && read.historyBytes == counted.historyBytes)
    }

    @Test func theSettingsThatAnOpeningFoundAreThoseOfTheTables() throws {
        let directory = try TemporaryDirectory()
        let first = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        try first.set(("a", 1), ("b", 2))
        try first.set(("b", 3))
        let written = try first.settings.state()
        try first.close(stamp: stamp)
        let second = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        #expect(second.store.found != nil)
        let found = try second.settings.state()
        #expect(second.store.found == nil)
        #expect(found.settings == written.settings && found.generation == written.generation)
        #expect(found.settings.map(\.generation) == [1, 2] && found.settings.allSatisfy { $0.author != nil })
        try second.close(stamp: stamp)
        // What was found is not used any more once something has changed.
        let third = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        try third.set(("c", 4))
        #expect(third.store.found == nil)
        #expect(try third.settings.state().settings.map(\.path.text) == ["a", "b", "c"])
    }

    @Test func aDatabaseWithoutTheTablesHasNoFiguresAndAReason() throws {
        let directory = try TemporaryDirectory()
        let store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        let database = try store.store.open()
        try database.execute("DELETE FROM meta")
        let unnamed = try StoreFigures.read(database)
        #expect(unnamed.figures == nil && !unnamed.reason.isEmpty)
        try database.execute("DROP TABLE probes")
        let (figures, reason) = try StoreFigures.read(database)
        #expect(figures == nil && !reason.isEmpty && reason != unnamed.reason)
    }
}
