import CleatAPI
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

@Suite struct FormatTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ hook: StorageHook? = nil) throws(StoreError) -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits, hook: hook)
    }

    func version(of store: StoreFile) throws -> Int64? {
        try store.open().value("PRAGMA user_version", as: Int64.self)
    }

    @Test func aStoreOfFormat10GainsTheTablesOnce() throws {
        try FormerRelease.makeStore(in: directory)
        do {
            let store = try open()
            #expect(store.opening == StoreOpening())
            #expect(try version(of: store) == 1004)
            #expect(store.generation == GenerationRef(store: "0123456789abcdef0123456789abcdef", generation: 1))
            #expect(try store.values == ["a": 1, "b": 1])
            #expect(try store.trial() == nil)
            #expect(try store.origins().isEmpty)
            try store.close(stamp: nil)
        }
        let files = try contents(in: directory.text)
        let store = try open()
        #expect(try store.statistics().bytesWritten == 0)
        try store.close(stamp: nil)
        #expect(try contents(in: directory.text) == files)
    }

    @Test func bothReleasesTakeTurns() throws {
        try FormerRelease.makeStore(in: directory)
        var number: Int64 = 1
        for round in 1...5 as ClosedRange<Int64> {
            do {
                let store = try open()
                #expect(store.generation.generation == number)
                #expect(try store.arm("trial-\(round)", [("a", .integer(round + 10))]) == number + 1)
                _ = try store.confirm(id: "trial-\(round)")
                try store.arm("undone-\(round)", [("b", .integer(round + 20))])
                number = try store.undo()
                try store.close(stamp: nil)
            }
            let former = try FormerRelease(directory)
            #expect(try former.number == number)
            #expect(try former.settings == ["a": "\(round + 10)", "b": "1"])
            try former.commit("former-again-\(round)", ["a": "\(round + 100)"])
            former.database.dropStatements()
            number += 1
        }
        let store = try open()
        #expect(try store.values == ["a": 105, "b": 1])
        #expect(try store.compare(1, number) == ["a 1 105"])
    }

    @Test func aFormerReleaseSeesWhatIsConfirmedAndMayOvertakeATrial() throws {
        try FormerRelease.makeStore(in: directory)
        do {
            let store = try open()
            try store.arm("mine", [("a", 2), ("b", nil), ("c", 3)], mementos: [memento("r")], origins: [memento("r")])
        }
        do {
            let former = try FormerRelease(directory)
            #expect(try former.settings == ["a": "1", "b": "1"])
            try former.commit("former-2", ["a": "7", "d": "4"])
            former.database.dropStatements()
        }
        let store = try open()
        #expect(store.generation.generation == 3)
        #expect(try store.values == ["a": 7, "b": 1, "d": 4])
        let trial = try #require(try store.trial())
        #expect(trial.isOvertaken)
        #expect(trial.mementos == [memento("r")])
        let late = #expect(throws: StoreError.self) { try store.confirm(id: "mine") }
        #expect(late?.code == .conflict)
        let refused = #expect(throws: StoreError.self) { try store.set(("a", 1)) }
        #expect(refused?.code == .pending)
        #expect(try store.undo() == 4)
        #expect(try store.values == ["a": 7, "b": 1, "d": 4])
        #expect(try store.compare(1, 4) == ["a 1 7", "d - 4"])
        #expect(try store.origins().isEmpty)
        #expect(try store.statistics().settings == 3)
    }

    @Test func historyIsNotTakenFromUnderATrialThatWasOvertaken() throws {
        do {
            let store = try open()
            for index in 1...20 as ClosedRange<Int64> { try store.set(("a", .integer(index))) }
            try store.arm("mine", [("a", 0)])
        }
        do {
            let former = try FormerRelease(directory)
            for index in 1...20 { try former.commit("former-\(index)", ["b": "\(index)"]) }
            former.database.dropStatements()
        }
        let store = try open()
        store.limits.generations = 4
        try store.prune()
        #expect(try store.statistics().oldestGeneration == 20)
        #expect(try store.trial()?.changes.count == 1)
        #expect(try store.undo() == 42)
        #expect(try store.values == ["a": 20, "b": 20])
        #expect(try store.compare(20, 42) == ["b - 20"])
        try store.prune()
        #expect(try store.statistics().generations == 4)
    }

    @Test func aFormerReleaseMayEvenTakeTheTrialFromTheHistory() throws {
        do {
            let store = try open()
            try store.set(("a", 1))
            try store.arm("mine", [("a", 2)], mementos: [memento("r")])
        }
        do {
            let former = try FormerRelease(directory)
            for index in 1...6 { try former.commit("former-\(index)", ["b": "\(index)"]) }
            try former.database.execute("DELETE FROM changes WHERE generation <= 4")
            try former.database.execute("DELETE FROM generations WHERE number <= 4")
            former.database.dropStatements()
        }
        let store = try open()
        let trial = try #require(try store.trial())
        #expect(trial.isOvertaken && trial.id == "mine" && trial.changes.isEmpty && trial.mementos.count == 1)
        #expect(try store.undo() == 9)
        #expect(try store.values == ["a": 1, "b": 6])
        #expect(try store.compare(5, 9) == ["b 3 6"])
        #expect(try store.set(("a", 3)) == 10)
    }

    @Test(arguments: Faults.Kind.allCases)
    func aFaultWhileTheTablesAreMadeLeavesTheOldFormatOrTheNew(kind: Faults.Kind) throws {
        try FormerRelease.makeStore(in: directory)
        let files = try contents(in: directory.text)
        var turn = 0
        var failures = 0
        var without = 0
        while true {
            turn += 1
            if turn > 1 { try DirectoryListing.remove(directory.appending("settings.newest")) }
            for (name, content) in files { try write(content, to: directory.appending(name)) }
            let faults = Faults(kind, at: turn)
            do throws(StoreError) {
                let store = try open(faults.hook)
                #expect(store.opening == StoreOpening(), "turn \(turn)")
                if !store.hasTrialTables { without += 1 }
            } catch {
                failures += 1
                #expect([.inputOutput, .diskFull, .outOfMemory].contains(error.code), "turn \(turn): \(error)")
            }
            let store = try open()
            #expect(store.opening == StoreOpening(), "turn \(turn)")
            #expect(try store.values == ["a": 1, "b": 1], "turn \(turn)")
            #expect(try version(of: store) == 1004)
            #expect(try store.arm("mine", [("a", 2)], origins: [memento("r")]) == 2)
            try store.close(stamp: nil)
            guard faults.happened else { break }
        }
        #expect(failures > 5)
        if kind == .full { #expect(without > 0, "a full disk is no reason not to open") }
    }

    @Test func aStoreWithoutTheTablesGetsThemWithItsFirstTrial() throws {
        try FormerRelease.makeStore(in: directory)
        var isFull = true
        let store = try open { $0.kind == .write && isFull ? .fail(.full) : .proceed }
        #expect(!store.hasTrialTables)
        #expect(try store.values == ["a": 1, "b": 1])
        #expect(try store.trial() == nil)
        #expect(try store.origins().isEmpty)
        #expect(try store.origin(of: "r") == nil)
        #expect(throws: StoreError.self) { try store.arm("mine", [("a", 2)]) }
        #expect(!store.hasTrialTables)
        isFull = false
        #expect(try store.set(("a", 3)) == 2)
        #expect(try store.arm("mine", [("a", 2)], mementos: [memento("r")], origins: [memento("r")]) == 3)
        #expect(try version(of: store) == 1004)
        #expect(try store.undo() == 4)
    }
}
