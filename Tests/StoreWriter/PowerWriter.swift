import CleatIO
import CleatSettings
import CleatStore
import SystemPackage

/// Commits as fast as it can and prints each generation once it is durable.
enum PowerWriter {
    /// Runs for `seconds=` seconds or `commits=` commits, or for ever.
    ///
    /// `settings=` is how many settings each generation changes besides one; `frames=` and `copy=` are the store's own
    /// limits for its log and its second copy. `synchronous=` weakens SQLite's promise, for a control that must lose
    /// what it has acknowledged; the service has no such switch.
    static func run(_ directory: FilePath, _ options: WriterOptions) {
        let pattern = PowerPattern(count: options["settings", default: 8])
        var limits = StoreLimits()
        limits.logFrames = Int(options["frames", default: Int64(limits.logFrames)])
        limits.copyInterval = options["copy", default: limits.copyInterval]
        let seconds = options["seconds", default: 0]
        let commits = options["commits", default: .max]
        do throws(StoreError) {
            let store = try StoreFile(directory: directory, limits: limits)
            StoreWriter.say("open \(store.generation.generation)")
            for note in store.opening.notes { StoreWriter.say("note \(note)") }
            if let mode = options["synchronous"] { try weaken(store, mode) }
            let start = BootTime.now().milliseconds
            var done: Int64 = 0
            while done < commits, seconds == 0 || BootTime.now().milliseconds - start < seconds * 1000 {
                try commit(store, pattern)
                done += 1
            }
            if options["close"] != "no" {
                try store.close(stamp: .now())
                StoreWriter.say("closed")
            }
            StoreWriter.say("done")
        } catch {
            StoreWriter.say("error \(error.code) \(error)")
        }
    }

    private static func commit(_ store: StoreFile, _ pattern: PowerPattern) throws(StoreError) {
        let number = store.generation.generation + 1
        let stamp = CommitStamp.now()
        let outcome = try store.commits.commit(
            CommitRequest(
                changes: pattern.changes(number), id: PowerPattern.id(number), hash: "hash-\(number)", author: "power",
                stamp: stamp))
        guard case .committed(let generation, _) = outcome else { return }
        StoreWriter.say("\(generation.generation)")
        if try store.copies.writeIfDue(stamp) { StoreWriter.say("copy \(generation.generation)") }
    }

    private static func weaken(_ store: StoreFile, _ mode: String) throws(StoreError) {
        do throws(SQLiteError) {
            try store.database?.execute("PRAGMA synchronous=\(mode)")
            let level = try store.database?.value("PRAGMA synchronous", as: Int64.self) ?? -1
            StoreWriter.say("synchronous \(level)")
        } catch {
            StoreWriter.say("error weaken \(error)")
        }
    }
}
