import CleatAPI
import CleatIO
import CleatJSON
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

@Suite struct KillTests {
    /// The numbers of the generations that the writer has acknowledged, whole lines only.
    static func acknowledged(_ output: String) -> [Int64] {
        let lines = output.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        return lines.compactMap { Int64(Substring($0)) }
    }

    @Test(arguments: TestMachine.seeds(4, onSlowOnes: 2))
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
                #expect(try store.record(number: number)?.changes.count == 3)
            }
            last = number
            // Half of the time the next writer finds what a clean stop has left.
            if Bool.random(using: &random) { try store.close(stamp: stamp) }
        }
        #expect(last > 10, "the writer was killed before it wrote")
    }
}
