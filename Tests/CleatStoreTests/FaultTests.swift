import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

@Suite struct FaultTests {
    let template: TemporaryDirectory

    init() throws { template = try TemporaryDirectory() }

    /// Makes a directory with the same files as another.
    func copy(_ files: [String: [UInt8]]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (name, content) in files { try write(content, to: directory.appending(name)) }
        return directory
    }

    @Test(arguments: Faults.Kind.allCases)
    func aFaultWhileOpeningLeavesTheStoreAlone(kind: Faults.Kind) throws {
        let reference = try makeStoreWithCopy(in: template)
        let files = try contents(in: template.text)
        var turn = 0
        var failures = 0
        while true {
            turn += 1
            let directory = try copy(files)
            let faults = Faults(kind, at: turn)
            var store: StoreFile?
            do throws(StoreError) {
                store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits, hook: faults.hook)
            } catch {
                failures += 1
                #expect(
                    [.inputOutput, .diskFull, .outOfMemory].contains(error.code), "turn \(turn): \(error)")
                #expect(try contents(in: directory.text) == files, "turn \(turn)")
            }
            if let store { #expect(store.opening == StoreOpening(), "turn \(turn)") }
            store = nil
            let again = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
            #expect(again.opening == StoreOpening(), "turn \(turn)")
            #expect(again.generation == reference)
            #expect(try again.values["system/hostname"] == "acknowledged")
            guard faults.happened else { break }
        }
        #expect(failures > 5)
    }

    @Test(arguments: Faults.Kind.allCases)
    func aFaultWhileMakingAStoreLeavesNothingBehind(kind: Faults.Kind) throws {
        var turn = 0
        while true {
            turn += turn == 0 ? 1 : TestMachine.rounds(1, briefly: 3)
            let directory = try TemporaryDirectory()
            let faults = Faults(kind, at: turn)
            do throws(StoreError) {
                _ = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits, hook: faults.hook)
            } catch {
                #expect(error.code != .corrupt && error.code != .internalError, "turn \(turn): \(error)")
            }
            let store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
            #expect(store.opening.quarantined.isEmpty, "turn \(turn)")
            #expect(try store.set(("a", 1)) == 1)
            #expect(
                try names(in: directory.text) == ["settings.db", "settings.db-wal", "settings.newest"], "turn \(turn)")
            guard faults.happened else { break }
        }
        #expect(turn > 20)
    }

    @Test(arguments: Faults.Kind.allCases)
    func aFaultWhileRestoringLosesNeitherTheCopyNorWhatWasQuarantined(kind: Faults.Kind) throws {
        _ = try makeStoreWithCopy(in: template)
        try write([], to: template.appending("settings.db"))
        let files = try contents(in: template.text)
        let logged = try #require(files["settings.db-wal"])
        var turn = 0
        while true {
            turn += turn == 0 ? 1 : TestMachine.rounds(1, briefly: 3)
            let directory = try copy(files)
            let faults = Faults(kind, at: turn)
            _ = try? StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits, hook: faults.hook)
            let store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
            #expect(try store.values["system/hostname"] == "copied", "turn \(turn)")
            #expect(store.generation.generation == 4, "3 was acknowledged, and is given to no other")
            let aside = try names(in: directory.text).filter { $0.hasPrefix("quarantined-") }
            #expect(aside.count == 2, "turn \(turn): \(aside)")
            let log = try #require(aside.first { $0.hasSuffix("-wal") })
            #expect(try bytes(directory.appending(log)) == logged)
            guard faults.happened else { break }
        }
        #expect(turn > 20)
    }

    @Test(arguments: Faults.Kind.allCases)
    func aFaultWhileCommittingLosesNothingThatWasAcknowledged(kind: Faults.Kind) throws {
        do {
            let store = try StoreFile(directory: template.path, stamp: stamp, limits: smallLimits)
            try store.set(("many/0", 0))
        }
        let files = try contents(in: template.text)
        // The strides have no factor in common with the number of operations of a commit.
        let stride = TestMachine.slowness > 1 ? 19 : 5
        var turn = Faults.Kind.allCases.firstIndex(of: kind) ?? 0
        var refused = 0
        var struck = 0
        while true {
            turn += stride
            let directory = try copy(files)
            let faults = Faults(kind, at: turn)
            let limits = StoreLimits(generations: 8, logFrames: 16)
            var acknowledged: Int64 = 1
            var content: Int64 = 0
            var attempted: Int64 = 0
            if let store = try? StoreFile(directory: directory.path, stamp: stamp, limits: limits, hook: faults.hook) {
                for index in 1...14 as ClosedRange<Int64> {
                    attempted = index
                    do throws(StoreError) {
                        let outcome = try store.commits.commit(try work(index))
                        guard case .committed(let reference, _) = outcome else {
                            Issue.record("\(outcome)")
                            break
                        }
                        #expect(reference.generation == acknowledged + 1)
                        acknowledged = reference.generation
                        content = index
                    } catch {
                        refused += 1
                        #expect(error.code != .internalError && error.code != .corrupt, "turn \(turn): \(error)")
                    }
                }
                try? store.close(stamp: stamp)
            }
            let store = try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
            #expect(store.opening.notes.isEmpty, "turn \(turn): \(store.opening.notes)")
            let values = try store.values
            let number = store.generation.generation
            #expect(values["pair/left"] == values["pair/right"], "turn \(turn)")
            if number == acknowledged {
                #expect(values["pair/left"] == (content == 0 ? nil : .integer(content)), "turn \(turn)")
            } else {
                // What was refused after it had reached the log may be there, but only whole.
                #expect(number == acknowledged + 1, "turn \(turn)")
                let found = values["pair/left"]?.integerValue ?? 0
                #expect(found > content && found <= attempted, "turn \(turn)")
            }
            #expect(try store.set(("after", 1)) == number + 1)
            guard faults.happened else { break }
            struck += 1
        }
        // A short write is written again after the log's space was freed: whether a commit is refused nevertheless
        // depends on the reads that the strides meet.
        #expect(kind == .shortWrite ? struck > 10 : refused > 0)
    }

    @Test func aLogThatCannotGrowIsUsedFromItsBeginning() throws {
        let limits = StoreLimits(logFrames: 64)
        var refused = 0
        let store = try StoreFile(directory: template.path, stamp: stamp, limits: limits) { operation in
            guard operation.kind == .write, operation.name.hasSuffix("-wal"),
                operation.offset + Int64(operation.count) > limits.logBytes
            else { return .proceed }
            refused += 1
            return .fail(.full)
        }
        for index in 1...12 as ClosedRange<Int64> { try store.set(("a", .integer(index))) }
        // With the history's row, too large for the remaining space of the log's file, and not too large for the whole file.
        #expect(try store.set(("large", .string(String(repeating: "x", count: 45_000)))) == 13)
        #expect(refused == 1)
        let larger = JSONValue.string(String(repeating: "y", count: 200_000))
        let error = #expect(throws: StoreError.self) {
            try store.commits.commit(try request("larger", [("large", larger)]))
        }
        #expect(error?.code == .diskFull)
        #expect(refused == 3)
        #expect(try store.set(("a", 0)) == 14)
        #expect(try store.values["large"]?.stringValue?.count == 45_000)
    }

    private func work(_ index: Int64) throws(StoreError) -> CommitRequest {
        do {
            return try request(
                "work-\(index)",
                [
                    ("pair/left", .integer(index)), ("pair/right", .integer(index)),
                    ("many/\(index % 5)", .string(String(repeating: "x", count: Int(index) * 60))),
                ])
        } catch {
            throw StoreError(.internalError, "test", "\(error)")
        }
    }
}
