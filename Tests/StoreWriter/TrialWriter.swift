import CleatJSON
import CleatSettings
import CleatStore

/// Arms trials, and confirms and undoes them in turn.
///
/// Its results can be checked: `pair/left` and `pair/right` are always equal, they are the number of the last generation
/// that was confirmed by name, and a trial has two mementos that hold the number of the generation before it.
enum TrialWriter {
    static func run(_ store: StoreFile, _ count: Int64) throws(StoreError) {
        if try store.trials.current() != nil { try undo(store) }
        var done: Int64 = 0
        while count == 0 || done < count {
            let number = store.generation.generation + 1
            let id = "trial-\(number)"
            let changes = ["pair/left", "pair/right", "many/n\(number % 50)"].compactMap { text in
                (try? SettingPath(text)).map { StoredChange(path: $0, old: nil, new: .integer(number)) }
            }
            let former = StoredMemento(
                resource: "file:/etc/example", adapter: "file", state: Array(String(number - 1).utf8))
            _ = try store.trials.arm(
                CommitRequest(changes: changes, id: id, hash: id, author: "test", stamp: .now()),
                TrialRequest(window: 1000, mementos: [former, former], origins: [former]))
            StoreWriter.say("armed \(number)")
            try store.trials.awaitConfirm(deadline: TrialDeadline(bootID: "boot", bootTime: number))
            if done % 2 == 0 {
                _ = try store.trials.confirm(id: id)
                StoreWriter.say("confirmed \(number)")
            } else {
                try undo(store)
            }
            done += 1
        }
    }

    /// Tries what takes many bytes to bring back, and then undoes small trials until the log has come round.
    static func runLarge(_ store: StoreFile) throws(StoreError) {
        let states = (0..<5).map {
            StoredMemento(
                resource: "file:/etc/large\($0)", adapter: "file", state: [UInt8](repeating: 7, count: 100_000))
        }
        guard let path = try? SettingPath("large/trial") else { return }
        do throws(StoreError) {
            _ = try store.trials.arm(
                CommitRequest(
                    changes: [StoredChange(path: path, old: nil, new: .integer(store.generation.generation))],
                    id: "large-\(store.generation.generation)", hash: "large", author: "test", stamp: .now()),
                TrialRequest(mementos: states))
            StoreWriter.say("armed")
            try undo(store)
        } catch {
            StoreWriter.say("refused \(error.code) \(error)")
        }
        try run(store, 200)
    }

    private static func undo(_ store: StoreFile) throws(StoreError) {
        _ = try store.trials.revert(stamp: .now(), reason: "tested")
        StoreWriter.say("undone \(store.generation.generation)")
    }
}
