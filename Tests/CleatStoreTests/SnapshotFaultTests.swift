import CleatJSON
import CleatSettings
import CleatTestSupport
import Testing

@testable import CleatStore

@Suite struct SnapshotFaultTests {
    /// The target of a fault.
    enum Victim: String, CaseIterable, Sendable {
        case first, second, delete

        func prepare(_ store: StoreFile) throws {
            try store.set(("a", 1), ("long", .string(String(repeating: "x", count: 3000))))
            guard self != .first else { return }
            try store.take("first", Self.files)
            try store.set(("a", 2))
        }

        func apply(to store: StoreFile) throws {
            switch self {
            case .first: try store.take("first", Self.files)
            case .second: try store.take("second", Self.files.merging(["file:/etc/2": "other"]) { $1 })
            case .delete: try store.snapshots.delete("first")
            }
        }

        private static let files = Dictionary(
            uniqueKeysWithValues: (0..<8).map { ("file:/etc/\($0)", String(repeating: "\($0)", count: 900)) })
    }

    /// All that can be seen of a store and its snapshots.
    struct View: Equatable {
        var store: StoreView
        var snapshots: [String: SnapshotView]

        init(_ file: StoreFile) throws {
            store = try file.view()
            snapshots = try file.snapshotViews()
            let totals = try file.snapshots.totals()
            #expect(totals.count == snapshots.count)
            if !snapshots.isEmpty { #expect(try file.objects().bytes == totals.bytes) }
        }
    }

    let template: TemporaryDirectory

    init() throws { template = try TemporaryDirectory() }

    func open(_ directory: TemporaryDirectory, _ hook: StorageHook? = nil) throws(StoreError) -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits, hook: hook)
    }

    func copy(_ files: [String: [UInt8]]) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for (name, content) in files { try write(content, to: directory.appending(name)) }
        return directory
    }

    private static let kinds: [Faults.Kind] = TestMachine.slowness > 1 ? [.deadDevice] : Faults.Kind.allCases

    @Test(arguments: Victim.allCases, Self.kinds)
    func aFaultLeavesWhatWasBeforeOrAfterWhole(victim: Victim, kind: Faults.Kind) throws {
        do {
            let store = try open(template)
            try victim.prepare(store)
        }
        let files = try contents(in: template.text)
        let before = try View(try open(try copy(files)))
        let after = try { () throws in
            let store = try open(try copy(files))
            try victim.apply(to: store)
            return try View(store)
        }()
        #expect(before != after)
        var turn = 0
        var refused = 0
        while true {
            // Every operation; where each takes its time, one of seven.
            turn += turn == 0 ? 1 : TestMachine.rounds(1, briefly: 7)
            let directory = try copy(files)
            let faults = Faults(kind, at: turn)
            var wasDone = false
            do {
                var isArmed = false
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
                #expect(try View(store) == (wasDone ? after : before), "turn \(turn)")
            }
            let store = try open(directory)
            #expect(store.opening == StoreOpening(), "turn \(turn)")
            let found = try View(store)
            #expect(found == after || (!wasDone && found == before), "turn \(turn)")
            if found == before { try victim.apply(to: store) }
            #expect(try View(store) == after, "turn \(turn)")
            guard faults.happened else { break }
        }
        #expect(turn > 3)
        #expect(refused > 0)
    }

    @Test(arguments: TestMachine.seeds(2, briefly: 1))
    func anAcknowledgedSnapshotOutlastsAPowerCutAtAnyInstant(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        do {
            let store = try open(template)
            try store.set(("a", 0))
        }
        let start = try contents(in: template.text)
        let recorder = Recorder()
        var views: [View] = []
        do {
            let store = try open(template, recorder.hook)
            views.append(try View(store))
            var files: [String: String] = [:]
            for step in 0..<TestMachine.rounds(40, briefly: 15) {
                let names = try store.snapshots.all().map(\.name)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: try store.set(("a", .integer(Int64(step))), ("b/\(step % 5)", .integer(Int64(step))))
                case 1 where names.count > 1:
                    guard let name = names.randomElement(using: &random) else { continue }
                    try store.snapshots.delete(name)
                default:
                    let name = "file:/etc/\(Int.random(in: 0..<12, using: &random))"
                    files[name] = String(repeating: "\(step) ", count: Int.random(in: 0..<600, using: &random))
                    try store.take("snapshot \(step)", files)
                }
                let view = try View(store)
                guard view != views.last else { continue }
                views.append(view)
                recorder.steps.append(.acknowledged(Int64(views.count - 1)))
            }
        }
        #expect(views.count > 10)
        for _ in 0..<TestMachine.rounds(40, briefly: 15) {
            let cut = Int.random(in: 0...recorder.steps.count, using: &random)
            let directory = try TemporaryDirectory()
            for (name, content) in recorder.files(start, cut: cut, using: &random) {
                try write(content, to: directory.appending(name))
            }
            var acknowledged = 0
            for case .acknowledged(let index) in recorder.steps[..<cut] { acknowledged = Int(index) }
            let store = try open(directory)
            #expect(store.opening.notes.isEmpty, "seed \(seed), cut \(cut)")
            let found = try View(store)
            #expect(
                found == views[acknowledged] || found == views[min(acknowledged + 1, views.count - 1)],
                "seed \(seed), cut \(cut)")
            try store.take("after", ["file:/etc/0": "after"])
        }
    }
}
