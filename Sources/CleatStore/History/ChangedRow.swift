import CleatJSON
import CleatSettings

/// A row of `changes` that is about to be written.
struct ChangedRow {
    var path: SettingPath
    /// The value before, as canonical JSON; nil if there was none.
    var old: String?
    /// The value after, as canonical JSON; nil if there is none.
    var new: String?

    /// The row's effect on the number of settings: 1, 0 or -1.
    var added: Int { (new == nil ? 0 : 1) - (old == nil ? 0 : 1) }

    /// The row as a change, with its values parsed.
    var change: StoredChange {
        StoredChange(path: path, old: old.flatMap(SettingsTable.value), new: new.flatMap(SettingsTable.value))
    }

    private var size: Int64 {
        Int64(path.text.utf8.count + (old?.utf8.count ?? 0) + (new?.utf8.count ?? 0) + 16)
    }

    /// Returns the bytes that a generation with these rows takes of the history.
    static func size(of rows: [ChangedRow], comment: String?) -> Int64 {
        rows.reduce(160 + Int64(comment?.utf8.count ?? 0)) { $0 + $1.size }
    }
}
