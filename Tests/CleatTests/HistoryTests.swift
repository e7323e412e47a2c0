import Cleat
import CleatEmbedded
import CleatTestSupport
import Testing

@Suite(.timeLimit(.minutes(TestMachine.slowness))) struct HistoryTests {
    private func client() async throws -> Cleat { try await Cleat.inMemory(schemas: [lampSchema]) }

    @Test func historyHasTheNewestGenerationFirstWithItsChanges() async throws {
        let cleat = try await client()
        #expect(try await cleat.history().isEmpty)
        try await cleat.set(.brightness, to: 10, comment: "dim")
        try await cleat.edit {
            $0[.brightness] = 20
            $0[.label] = "desk"
        }
        let entries = try await cleat.history()
        #expect(entries.map(\.generation) == [2, 1] && entries.allSatisfy { $0.state == .confirmed })
        #expect(
            entries[1].comment == "dim" && entries[1].changes.map(\.description) == ["lamp/brightness: unset -> 10"])
        #expect(entries[0].changes.map(\.path) == ["lamp/brightness", "lamp/label"])
        #expect(entries[0].changes[0].old == 10 && entries[0].changes[0].new == 20 && !entries[0].id.isEmpty)
        #expect(entries.allSatisfy { $0.time != nil })
        #expect(try await cleat.history(limit: 1).map(\.generation) == [2])
        #expect(try await cleat.history(before: 2).map(\.generation) == [1])
    }

    @Test func theEndOfATrialIsInTheHistory() async throws {
        let cleat = try await client()
        try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 10
        } whileOnTrial: { _ in
            let pending = try await cleat.history()
            #expect(pending.map(\.state) == [.pending])
        }
        let reverted = try await cleat.history()
        #expect(reverted.map(\.state) == [.confirmed, .reverted])
        #expect(reverted[0].changes.map(\.description) == ["lamp/brightness: 10 -> unset"])
        try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 10
        } whileOnTrial: {
            try await $0.confirm()
        }
        #expect(try await cleat.history(limit: 1).map(\.state) == [.confirmed])
    }

    @Test func secretsAreNeverInHistoryPlanOrSnapshot() async throws {
        let cleat = try await client()
        let pin = SettingKey<String?>("lamp/pin")
        let plan = try await cleat.plan { $0[pin] = "4711" }
        try await cleat.set(pin, to: "4711")
        try await cleat.snapshots.create("s")
        let shown = try await cleat.snapshots.show("s")
        let difference = try await cleat.difference()
        #expect(plan.changes.map(\.path) == ["lamp/pin"] && difference.map(\.path) == ["lamp/pin"])
        #expect(shown.settings.keys.sorted() == ["lamp/pin"])
        let everything = "\(plan) \(try await cleat.history()) \(difference) \(shown)"
        #expect(!everything.contains("4711"), "\(everything)")
    }

    @Test func aPlanChangesNothingAndHasEveryProblem() async throws {
        let cleat = try await client()
        let plan = try await cleat.plan { $0[.brightness] = 10 }
        #expect(plan.changes.map(\.description) == ["lamp/brightness: unset -> 10"] && plan.steps.isEmpty)
        #expect(try await cleat.plan { _ in }.changes.isEmpty)
        #expect(try await cleat[.brightness] == 80)
        let error = await #expect(throws: CleatError.self) {
            _ = try await cleat.plan {
                $0[.brightness] = 200
                $0[SettingKey("lamp/nothing", default: 0)] = 1
            }
        }
        #expect(error?.code == .refused && error?.problems.map(\.path) == ["lamp/brightness", "lamp/nothing"])
        #expect(try await cleat.history().isEmpty)
    }

    @Test func rollsBackToAnEarlierGeneration() async throws {
        let cleat = try await client()
        for brightness in [10, 20, 30] { try await cleat.set(.brightness, to: brightness) }
        #expect(try await cleat.rollback(to: 1, comment: "too bright") == 4)
        #expect(try await cleat[.brightness] == 10)
        #expect(try await cleat.rollback() == 5)
        #expect(try await cleat[.brightness] == 30)
        #expect(try await cleat.rollback(to: 0) == 6)
        #expect(try await !cleat.isSet(.brightness))
        #expect(try await cleat.difference(from: 1, to: 3).map(\.description) == ["lamp/brightness: 10 -> 30"])
        for unknown in [-1, 7, Int64.max, .min] {
            let error = await #expect(throws: CleatError.self) { _ = try await cleat.rollback(to: unknown) }
            #expect(error?.code == .refused)
            let other = await #expect(throws: CleatError.self) { _ = try await cleat.difference(to: unknown) }
            #expect(other?.code == .refused)
        }
    }

    @Test func snapshotsAreMadeListedComparedRestoredAndDeleted() async throws {
        let cleat = try await client()
        try await cleat.set(.brightness, to: 10)
        let info = try await cleat.snapshots.create("first", comment: "before the update")
        #expect(info.name == "first" && info.generation == 1 && info.settings == 1 && info.damage == nil)
        try await cleat.set(.brightness, to: 20)
        try await cleat.snapshots.create("second")
        try await cleat.set(.label, to: "desk")
        #expect(try await cleat.snapshots.list().map(\.name) == ["first", "second"])
        #expect(try await cleat.snapshots.show("first").settings == ["lamp/brightness": 10])
        let between = try await cleat.snapshots.difference(from: "first", to: "second")
        #expect(between.changes.map(\.description) == ["lamp/brightness: 10 -> 20"])
        #expect(
            try await cleat.snapshots.difference(from: "first").changes.map(\.path) == [
                "lamp/brightness", "lamp/label",
            ])
        #expect(try await cleat.snapshots.restore("first") == 4)
        #expect(try await cleat[.brightness] == 10)
        #expect(try await cleat[.label] == nil)
        try await cleat.snapshots.delete("first")
        #expect(try await cleat.snapshots.list().map(\.name) == ["second"])
    }

    @Test func snapshotsThatCannotBeAreRefused() async throws {
        let cleat = try await client()
        try await cleat.snapshots.create("taken")
        let refused: [() async throws -> Void] = [
            { try await cleat.snapshots.create("taken") }, { try await cleat.snapshots.create("") },
            { try await cleat.snapshots.create(String(repeating: "n", count: 65)) },
            { _ = try await cleat.snapshots.show("none") }, { try await cleat.snapshots.restore("none") },
            { try await cleat.snapshots.delete("none") },
            { _ = try await cleat.snapshots.difference(from: "none") },
            { _ = try await cleat.snapshots.difference(from: "taken", to: "none") },
        ]
        for (number, call) in refused.enumerated() {
            let error = await #expect(throws: CleatError.self, "call \(number)") { try await call() }
            #expect(error?.code == .refused, "call \(number)")
        }
        for number in 1..<64 { try await cleat.snapshots.create("\(number)") }
        let full = await #expect(throws: CleatError.self) { try await cleat.snapshots.create("64") }
        #expect(full?.code == .refused)
        #expect(try await cleat.snapshots.list().count == 64)
    }

    @Test func whileAChangeIsOnTrialNothingElseIsRestored() async throws {
        let cleat = try await client()
        try await cleat.set(.brightness, to: 10)
        try await cleat.snapshots.create("s")
        try await cleat.edit(confirm: .seconds(60)) {
            $0[.brightness] = 20
        } whileOnTrial: { _ in
            for call in [
                { try await cleat.rollback(to: 0) }, { try await cleat.snapshots.restore("s") },
            ] as [() async throws -> Int64] {
                let error = await #expect(throws: CleatError.self) { _ = try await call() }
                #expect(error?.code == .pending)
            }
        }
    }
}
