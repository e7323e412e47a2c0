import CleatAPI
import CleatJSON
import CleatSettings
import CleatStore

/// Arms trials, and confirms and undoes them in turn.
///
/// What it leaves can be judged: `pair/left` and `pair/right` are always equal, they are the number of the last generation
/// that was confirmed by name, and a trial has two mementos that hold the number of the generation before it.
enum TrialWriter {
    static func run(_ store: StoreFile, _ count: Int64) throws(StoreError) {
        if try store.trial() != nil { try undo(store) }
        var done: Int64 = 0
        while count == 0 || done < count {
            let number = store.generation.generation + 1
            let id = "trial-\(number)"
            let changes = ["pair/left", "pair/right", "many/n\(number % 50)"].compactMap { text in
                (try? SettingPath(text)).map { StoredChange(path: $0, old: nil, new: .integer(number)) }
            }
            let former = StoredMemento(
                resource: "file:/etc/example", adapter: "file", state: Array(String(number - 1).utf8))
            _ = try store.arm(
                CommitRequest(changes: changes, id: id, hash: id, author: "test", stamp: .now()),
                TrialRequest(window: 1000, mementos: [former, former], origins: [former]))
            StoreWriter.say("armed \(number)")
            try store.awaitConfirm(deadline: TrialDeadline(bootID: "boot", bootTime: number))
            if done % 2 == 0 {
                _ = try store.confirm(id: id)
                StoreWriter.say("confirmed \(number)")
            } else {
                try undo(store)
            }
            done += 1
        }
    }

    private static func undo(_ store: StoreFile) throws(StoreError) {
        _ = try store.revert(stamp: .now(), reason: "tested")
        StoreWriter.say("undone \(store.generation.generation)")
    }
}
