import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

/// Damages each file of the state in each way, between two runs of the service.
@Suite(
    "Damaged files of the state", .tags(.fault),
    .enabled(if: TestMachine.slowness == 1, "what it waits for takes long on a board, and nothing differs there"))
struct DamagedStateTests {
    /// A damage of a file.
    enum Damage: String, CaseIterable, Sendable {
        case removed, empty, zeroed, cut, garbage, flipped, older

        func apply(to file: FilePath, older: [UInt8]?, seed: UInt64) throws {
            var bytes = try bytes(of: file)
            var random = SeededGenerator(seed: seed)
            switch self {
            case .removed: return try SystemCalls.remove(file.string)
            case .empty: bytes = []
            case .zeroed: bytes = [UInt8](repeating: 0, count: bytes.count)
            case .cut: bytes = Array(bytes.prefix(bytes.count / 2))
            case .garbage: bytes = random.bytes(bytes.count)
            case .flipped:
                // Where there is something: most of a log that was never filled is zeros.
                let used = bytes.indices.filter { bytes[$0] != 0 }
                if let place = used.randomElement(using: &random) { bytes[place] ^= 1 << UInt8(seed % 8) }
            case .older: bytes = older ?? bytes
            }
            try write(bytes, to: file)
        }
    }

    static let files = ["settings.db", "settings.db-wal", "settings.copy.json", "settings.newest"]

    @Test(
        "The newest acknowledged state is restored, or doctor repeats the error; no number is used twice",
        arguments: files, Damage.allCases)
    func damage(file: String, damage: Damage) async throws {
        for (end, seed) in [(.kill, 1), (.terminate, 2)] as [(Signal, UInt64)] {
            try await Board.with { board in
                let first = try await board.start()
                for number in 1...20 { try await first.set(["system/hostname": .string("h\(number)")]) }
                try await first.waitForCopy()
                try await first.stop()
                let place = FilePath(board.state).appending(file)
                let older = try bytes(of: place)

                let second = try await board.start()
                for number in 21...40 { try await second.set(["system/hostname": .string("h\(number)")]) }
                let known = try await second.status()
                try await second.stop(end)
                try damage.apply(to: place, older: older, seed: seed)

                let third = try await board.start()
                let status = try await third.status()
                let value = try await third.get("system/hostname")
                let doctor = try await board.cleat("doctor")
                let context = "\(file) \(damage), \(end): \(status.generation), \(status.storeNotes), \(doctor.output)"
                if status.storeNotes.isEmpty {
                    #expect(value == "h40" && status.generation == known.generation, "\(context)")
                    #expect(status.store == known.store, "\(context)")
                } else {
                    #expect(doctor.status == 1, "\(context)")
                    for note in status.storeNotes { #expect(doctor.output.contains(note.prefix(40)), "\(context)") }
                }
                try await third.set(["system/timezone": "Europe/Berlin"])
                let after = try await third.status()
                #expect(after.store != known.store || after.generation > known.generation, "\(context)")
                let log = try await third.stop().outputText
                for note in status.storeNotes { #expect(log.contains(note), "\(context)") }
            }
        }
    }
}
