import CleatIO
import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

@Suite(.tags(.board)) struct KillTests {
    /// The numbers of the generations that the writer has acknowledged, whole lines only.
    static func acknowledged(_ output: String) -> [Int64] {
        let lines = output.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        return lines.compactMap { Int64(Substring($0)) }
    }

    @Test(arguments: TestMachine.seeds(4, briefly: 2))
    func acknowledgedCommitsOutlastAKillAtAnyInstant(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let place = directory.appending("store")
        var last: Int64 = 0
        // In microseconds after the start.
        var latest: Int64 = 60_000
        for round in 0..<25 {
            // From before the store is open to the middle of many commits.
            let instant = Duration.microseconds(Int64.random(in: 2_000...latest, using: &random))
            let result = try await runWriter(["commit", place], timeout: instant)
            #expect(result.timedOut)
            let text = result.outputText
            #expect(!text.contains("error"), "\(text)")
            #expect(!text.contains("note"), "\(text)")
            let numbers = Self.acknowledged(text)
            if let first = numbers.first { #expect(first == last + 1 || first == last + 2) }
            last = numbers.last ?? last
            // A busy machine takes longer to come to the first commit.
            if numbers.isEmpty { latest = min(latest * 5 / 4, 2_000_000) }
            let store = try StoreFile(directory: FilePath(place), stamp: stamp)
            #expect(store.opening.notes.isEmpty, "seed \(seed), round \(round): \(store.opening.notes)")
            let number = store.generation.generation
            #expect(number >= last, "seed \(seed), round \(round): \(last) was acknowledged")
            let values = try store.values
            #expect(values["pair/left"] == values["pair/right"])
            #expect(values["pair/left"] == (number == 0 ? nil : .integer(number)))
            if number > 0 {
                #expect(values["many/n\(number % 50)"] == .integer(number))
                #expect(try store.history.record(number: number)?.changes.count == 3)
            }
            last = number
            // Half of the time the next writer finds what a clean stop has left.
            if Bool.random(using: &random) { try store.close(stamp: stamp) }
        }
        #expect(last > 10, "the writer was killed before it wrote")
    }

    @Test(arguments: TestMachine.seeds(3, briefly: 1))
    func aTrialOutlastsAKillAtAnyInstant(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let place = directory.appending("store")
        var latest: Int64 = 60_000
        var found = (trials: 0, none: 0)
        for round in 0..<25 {
            let instant = Duration.microseconds(Int64.random(in: 2_000...latest, using: &random))
            let result = try await runWriter(["trial", place], timeout: instant)
            let text = result.outputText
            let location: Comment = "seed \(seed), round \(round)"
            #expect(result.timedOut && !text.contains("error") && !text.contains("note"), "\(text)")
            let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
                .map { String(Substring($0)) }
            if lines.count < 3 { latest = min(latest * 5 / 4, 2_000_000) }

            let store = try StoreFile(directory: FilePath(place), stamp: stamp)
            #expect(store.opening.notes.isEmpty, "\(store.opening.notes)")
            let number = store.generation.generation
            let values = try store.values
            #expect(values["pair/left"] == values["pair/right"], location)
            let trial = try store.trials.current()
            if let last = lines.last, last.hasPrefix("armed "), let armed = Int64(last.dropFirst(6)) {
                // On trial, or already one step on; never as if it had not been.
                #expect(trial?.generation.generation == armed || number == armed || number == armed + 1, location)
            }
            if let trial {
                found.trials += 1
                #expect(trial.generation.generation == number + 1, location)
                #expect(
                    trial.mementos.map(\.state) == [Array(String(number).utf8), Array(String(number).utf8)], location)
                #expect(trial.changes.count == 3, location)
                #expect(trial.changes.allSatisfy { $0.new == .integer(number + 1) }, location)
            } else {
                found.none += 1
            }
            if let last = lines.last(where: { !$0.hasPrefix("armed ") && !$0.hasPrefix("open ") }),
                let ended = last.split(separator: " ").last.flatMap({ Int64($0) })
            {
                #expect(number >= ended, "\(location): \(last)")
            }
            if Bool.random(using: &random) { try store.close(stamp: stamp) }
        }
        #expect(found.trials > 3 && found.none > 0, "seed \(seed): \(found)")
    }
}
