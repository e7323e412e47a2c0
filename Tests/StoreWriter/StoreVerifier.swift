import CleatJSON
import CleatSandbox
import CleatSettings
import CleatStore
import SystemPackage

/// Checks a store that the power writer wrote, after a cut, with the service's own code.
struct StoreVerifier {
    private let pattern: PowerPattern
    private let acknowledged: Int64
    private let copied: Int64
    private let last: Int64
    private let scratch: FilePath
    private var report = PowerReport()

    /// Verifies a store.
    ///
    /// `acknowledged=` and `copied=` are the last generation and the last second copy that were acknowledged before the
    /// cut, `last=` the last one that the writer can have started, `scratch=` an empty directory to restore the second
    /// copy in.
    static func report(_ directory: FilePath, _ options: WriterOptions) -> String {
        let acknowledged = options["acknowledged", default: 0]
        var verifier = StoreVerifier(
            pattern: PowerPattern(count: options["settings", default: 8]), acknowledged: acknowledged,
            copied: options["copied", default: 0], last: options["last", default: .max],
            scratch: FilePath(options["scratch"] ?? directory.appending("scratch").string))
        do throws(StoreError) {
            let copy = directory.appending("settings.copy.json")
            // Before the store is opened: what opens it may write a new one.
            try verifier.restoreCopy(copy)
            try verifier.look(directory)
            try verifier.goOn(directory)
        } catch {
            verifier.report.problem(.corrupt, "\(error.code): \(error)")
        }
        return verifier.report.text
    }

    private mutating func look(_ directory: FilePath) throws(StoreError) {
        let store = try StoreFile(directory: directory)
        let number = store.generation.generation
        report.found = number
        for note in store.opening.notes { report.problem(.corrupt, "note: \(note)") }
        report.done("opens")
        report.require(
            number >= acknowledged, .lost, "generation \(acknowledged) was acknowledged, but the last one is \(number)")
        report.require(number <= last, .corrupt, "generation \(number) was never written; the last one was \(last)")
        report.done("acknowledged")
        let state = try store.settings.state()
        report.require(state.unreadable.isEmpty, .corrupt, "unreadable: \(state.unreadable)")
        compare(state, number, "the store")
        report.done("whole")
        try history(store, number)
        report.done("history")
        try integrity(store)
        report.done("integrity")
        try store.close(stamp: nil)
    }

    private mutating func compare(_ state: StoredState, _ number: Int64, _ what: String) {
        let found = Dictionary(state.settings.map { ($0.path.text, $0.value) }) { first, _ in first }
        let expected = pattern.state(number)
        for (path, value) in expected where found[path] != value {
            let text = found[path].map { String($0.canonicalText.prefix(20)) } ?? "nothing"
            report.problem(.corrupt, "in \(what), generation \(number) holds \(text) at \(path)")
        }
        report.require(found.count == expected.count, .corrupt, "\(what) holds \(found.count) settings")
    }

    private mutating func history(_ store: StoreFile, _ number: Int64) throws(StoreError) {
        var next = number
        var before: Int64?
        while next > 0 {
            let page = try store.history.generations(before: before, limit: StoreLimits.page)
            if page.isEmpty { break }
            for record in page {
                report.require(record.number == next, .corrupt, "history: \(record.number) stands where \(next) should")
                report.require(
                    record.id == PowerPattern.id(record.number) && record.state == .confirmed, .corrupt,
                    "history: generation \(record.number) is \(record.state) under the id \(record.id)")
                report.require(
                    record.changes == pattern.changes(record.number), .corrupt,
                    "history: generation \(record.number) changed something else")
                next = record.number - 1
                before = record.number
            }
        }
        let kept = try store.statistics().generations
        report.require(number - next == Int64(kept), .corrupt, "history: \(kept) generations, \(number - next) listed")
        report.require(
            next == 0 || Int64(kept) >= Int64(StoreLimits().generations), .corrupt, "history begins after \(next)")
    }

    private mutating func integrity(_ store: StoreFile) throws(StoreError) {
        do throws(SQLiteError) {
            let answer = try store.database?.value("PRAGMA integrity_check(1)", as: String.self)
            report.require(answer == "ok", .corrupt, "integrity_check: \(answer ?? "no answer")")
        } catch {
            report.problem(.corrupt, "integrity_check: \(error)")
        }
    }

    /// Checks that a store of which only the second copy remains is restored from it.
    private mutating func restoreCopy(_ file: FilePath) throws(StoreError) {
        guard let bytes = FileSequence.content(of: file) else {
            report.require(copied == 0, .lost, "the second copy of generation \(copied) was written, but there is none")
            return
        }
        guard FileSequence.put(bytes, "settings.copy.json", in: scratch) else {
            return report.problem(.corrupt, "the second copy could not be put into \(scratch)")
        }
        let store = try StoreFile(directory: scratch)
        guard let restored = store.opening.restored, store.opening.quarantined.isEmpty else {
            return report.problem(.corrupt, "the second copy cannot be restored: \(store.opening.notes)")
        }
        let number = restored.generation
        report.require(number >= copied, .lost, "the second copy is of generation \(number); \(copied) was written")
        report.require(number <= last, .corrupt, "the second copy is of generation \(number), after \(last)")
        compare(try store.settings.state(), number, "the second copy")
        try store.close(stamp: nil)
        report.done("copy")
    }

    /// Requires that a store accepts another commit, and has it when it is opened again.
    private mutating func goOn(_ directory: FilePath) throws(StoreError) {
        var store = try StoreFile(directory: directory)
        let number = store.generation.generation + 1
        _ = try store.commits.commit(
            CommitRequest(
                changes: pattern.changes(number), id: PowerPattern.id(number), hash: "hash-\(number)", author: "power",
                stamp: .now()))
        try store.close(stamp: nil)
        store = try StoreFile(directory: directory)
        report.require(store.generation.generation == number, .corrupt, "a commit after the cut is not there")
        compare(try store.settings.state(), number, "the store after one more commit")
        try store.close(stamp: nil)
        report.done("goes on")
    }
}
