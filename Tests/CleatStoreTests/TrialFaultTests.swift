import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

@Suite struct TrialFaultTests {
    /// A step of a trial that a fault may hit.
    enum Victim: String, CaseIterable, Sendable {
        case arm, phase, await, extend, confirm, revert, fail

        /// Brings a store to where the step comes next.
        func prepare(_ store: StoreFile) throws {
            try store.set(("a", 1), ("b", 1), ("long", .string(String(repeating: "x", count: 3000))))
            try store.arm("former", [("a", 0)], origins: [memento("kept"), memento("left")])
            _ = try store.trials.confirm(id: "former")
            guard self != .arm else { return }
            try run(.arm, on: store)
            if self == .extend || self == .confirm { try run(.await, on: store) }
        }

        func apply(to store: StoreFile) throws { try run(self, on: store) }

        private func run(_ victim: Victim, on store: StoreFile) throws {
            switch victim {
            case .arm:
                try store.arm(
                    "mine",
                    [
                        ("a", 2), ("b", nil), ("c", 3), ("long", .string(String(repeating: "y", count: 3000))),
                        ("documents/x", .string("sha256:" + document.hash)),
                    ],
                    mementos: [memento("kept", [UInt8](repeating: 5, count: 9000)), memento("new")],
                    origins: [memento("new", [UInt8](repeating: 6, count: 4000))],
                    contents: [document])
            case .phase: try store.trials.markReverting()
            case .await: try store.trials.awaitConfirm(deadline: deadline(5000))
            case .extend: try store.trials.extend(to: deadline(7000))
            case .confirm: _ = try store.trials.confirm(id: "mine", forgetting: ["left"])
            case .revert: _ = try store.undo()
            case .fail: try store.trials.markRevertFailed("hostname: permission denied")
            }
        }
    }

    let template: TemporaryDirectory

    init() throws { template = try TemporaryDirectory() }

    func open(_ directory: TemporaryDirectory, _ hook: StorageHook? = nil) throws(StoreError) -> StoreFile {
        try StoreFile(
            directory: directory.path, stamp: stamp, limits: StoreLimits(generations: 4, logFrames: 16), hook: hook)
    }

    func copy(_ files: [String: [UInt8]]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (name, content) in files { try write(content, to: directory.appending(name)) }
        return directory
    }

    /// All kinds of faults; where each takes its time, those that leave the most behind.
    private static let kinds: [Faults.Kind] =
        TestMachine.slowness > 1 ? [.shortWrite, .deadDevice] : Faults.Kind.allCases

    @Test(arguments: Victim.allCases, Self.kinds)
    func aFaultLeavesWhatWasBeforeOrAfterWhole(victim: Victim, kind: Faults.Kind) throws {
        do {
            let store = try open(template)
            try victim.prepare(store)
        }
        let files = try contents(in: template.text)
        let before = try open(try copy(files)).view()
        let after = try { () throws in
            let store = try open(try copy(files))
            try victim.apply(to: store)
            return try store.view()
        }()
        #expect(before != after)
        var turn = 0
        var refused = 0
        while true {
            // Every operation; where each takes its time, one of five.
            turn += turn == 0 ? 1 : TestMachine.rounds(1, briefly: 5)
            let directory = try copy(files)
            let faults = Faults(kind, at: turn)
            var isArmed = false
            var wasDone = false
            do {
                let store = try open(directory) { isArmed ? faults.hook($0) : .proceed }
                isArmed = true
                do {
                    try victim.apply(to: store)
                    wasDone = true
                } catch let error as StoreError {
                    refused += 1
                    #expect([.inputOutput, .diskFull, .outOfMemory].contains(error.code), "turn \(turn): \(error)")
                }
                isArmed = false
                // The store of the same run goes on from what it said.
                #expect(try store.view() == (wasDone ? after : before), "turn \(turn)")
            }
            let store = try open(directory)
            #expect(store.opening == StoreOpening(), "turn \(turn)")
            let found = try store.view()
            #expect(found == after || (!wasDone && found == before), "turn \(turn)")
            #expect(try store.statistics().settings == found.values.count, "turn \(turn)")
            if found == before { try victim.apply(to: store) }
            #expect(try store.view() == after, "turn \(turn)")
            guard faults.happened else { break }
        }
        #expect(turn > 3)
        #expect(refused > 0)
    }

    @Test(arguments: Victim.allCases)
    func aStoreThatRefusedAStepDoesItLater(victim: Victim) throws {
        var isFaulty = false
        let store = try open(template) { isFaulty && $0.kind == .write ? .fail(.full) : .proceed }
        try victim.prepare(store)
        let before = try store.view()
        isFaulty = true
        for _ in 0..<3 {
            let error = #expect(throws: StoreError.self) { try victim.apply(to: store) }
            #expect(error?.code == .diskFull)
            #expect(try store.view() == before)
        }
        isFaulty = false
        try victim.apply(to: store)
        let after = try store.view()
        #expect(after != before)
        try store.close(stamp: nil)
        #expect(try open(template).view() == after)
    }

    @Test(arguments: TestMachine.seeds(3, briefly: 1))
    func anAcknowledgedStepOutlastsAPowerCutAtAnyInstant(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limits = StoreLimits(logFrames: 16)
        do {
            let store = try StoreFile(directory: template.path, stamp: stamp, limits: limits)
            try store.set(("a", 1))
        }
        let start = try contents(in: template.text)
        let recorder = Recorder()
        var model = TrialModel()
        var views: [StoreView] = []
        do {
            let store = try StoreFile(directory: template.path, stamp: stamp, limits: limits, hook: recorder.hook)
            _ = model.apply(.commit(id: "set-1", [("a", 1)]))
            views.append(try store.view())
            for count in 0..<150 {
                let step = TrialModel.Step.random(model, count, using: &random)
                guard model.apply(step) == nil else { continue }
                try step.apply(to: store)
                let view = try store.view()
                guard view != views.last else { continue }
                views.append(view)
                recorder.steps.append(.acknowledged(Int64(views.count - 1)))
            }
        }
        #expect(views.count > 40)
        for _ in 0..<40 {
            let cut = Int.random(in: 0...recorder.steps.count, using: &random)
            let directory = try TemporaryDirectory()
            for (name, content) in recorder.files(start, cut: cut, using: &random) {
                try write(content, to: directory.appending(name))
            }
            var acknowledged: Int64 = 0
            for case .acknowledged(let index) in recorder.steps[..<cut] { acknowledged = index }
            let store = try StoreFile(directory: directory.path, stamp: stamp, limits: limits)
            #expect(store.opening.notes.isEmpty, "seed \(seed), cut \(cut)")
            let found = try store.view()
            #expect(
                found == views[Int(acknowledged)] || found == views[min(Int(acknowledged) + 1, views.count - 1)],
                "seed \(seed), cut \(cut)")
            if found.trial != nil { try store.undo() }
            #expect(try store.set(("after", 1)) == found.generation + (found.trial == nil ? 1 : 3))
        }
    }
}
