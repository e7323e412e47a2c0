import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

@Suite struct TrialCostTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The flushes, and the bytes of one step, of as many steps as were made.
    struct Cost {
        var steps: Int64 = 0
        var syncs: Int64 = 0
        var bytes: Int64 = 0

        mutating func count<Value>(_ store: StoreFile, _ body: () throws -> Value) throws -> Value {
            let before = try store.statistics()
            let value = try body()
            let after = try store.statistics()
            steps += 1
            syncs += after.syncs - before.syncs
            bytes += after.bytesWritten - before.bytesWritten
            return value
        }
    }

    /// Fills the history without a commit for each, and returns the store opened again.
    func store(history: Int) throws -> StoreFile {
        let limits = StoreLimits(generations: 1 << 20, historyBytes: 1 << 40)
        do {
            let store = try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
            try store.set(("n", 0))
            let database = try store.store.open()
            try database.transaction { () throws(SQLiteError) in
                for number in 2...Int64(history) {
                    try database.run(
                        History.insertion,
                        [
                            .integer(number), .text("id-\(number &* 7919 % 1_000_003)"), .text("hash"), .integer(0),
                            .text("boot-a"), .integer(0), .integer(0), .text("tester"), .null,
                            .text(GenerationState.confirmed.word), .integer(180), .integer(0), .integer(0),
                        ])
                    try database.run(
                        "INSERT INTO changes(generation, path, old, new) VALUES(?, 'n', ?, ?)",
                        [.integer(number), .text("\(number - 2)"), .text("\(number - 1)")])
                }
                try database.run("UPDATE settings SET value = ?", [.text("\(history - 1)")])
            }
            store.store.figures.settingsSum = SettingsSum()
            store.store.figures.settingsSum.add("n", "\(history - 1)")
            try store.close(stamp: stamp)
        }
        return try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
    }

    @Test(arguments: TestMachine.slowness > 1 ? [10, 1000] : [10, 100, 1000, 10_000])
    func aTrialCostsAFlushAStepHoweverLongTheHistory(history: Int) throws {
        let store = try store(history: history)
        #expect(try store.statistics().generations == history)
        // Once round the log, so that growing it is behind us.
        for index in 0..<300 as Range<Int64> { try store.set(("warm", .integer(index))) }
        var arm = Cost()
        var wait = Cost()
        var confirm = Cost()
        var revert = Cost()
        for index in 0..<100 as Range<Int64> {
            for isConfirmed in [true, false] {
                let id = "trial-\(index)-\(isConfirmed)"
                _ = try arm.count(store) {
                    try store.arm(
                        id, [("network/interfaces/eth0/mtu", .integer(1000 + index * 2 + (isConfirmed ? 1 : 0)))],
                        mementos: [
                            memento("file:/etc/systemd/network/eth0.network", [UInt8](repeating: 1, count: 400))
                        ],
                        origins: [memento("file:/etc/systemd/network/eth0.network", [UInt8](repeating: 1, count: 400))])
                }
                try wait.count(store) { try store.trials.awaitConfirm(deadline: deadline(index)) }
                if isConfirmed {
                    _ = try confirm.count(store) { try store.trials.confirm(id: id) }
                } else {
                    _ = try revert.count(store) { try store.undo() }
                }
            }
        }
        // One flush a step, and two more each time that the log comes round.
        let all = [("arm", arm, 10), ("await", wait, 2), ("confirm", confirm, 7), ("revert", revert, 10)]
        for (name, cost, kibibytes) in all {
            #expect(cost.syncs <= cost.steps + 8, "\(name): \(cost.syncs) flushes of \(cost.steps) steps")
            #expect(cost.bytes / cost.steps <= Int64(kibibytes) << 10, "\(name): \(cost.bytes / cost.steps) bytes")
        }
    }
}
