import CleatAPI
import CleatJSON
import CleatViews

/// Prints the entries of a directory in an area: the output of `cleat file ls`.
struct FileListView: TablePresentable, JSONPresentable {
    var target: FileTarget
    var entries: [FileInfo]
    /// The number of entries whose names are not valid in a path.
    var skipped = 0

    var columns: [String] { ["TYPE", "MODE", "SIZE", "MODIFIED", "NAME"] }

    var rows: [[TextSpan]] {
        entries.map { entry in
            let isDirectory = entry.type == .directory
            return [
                TextSpan(entry.type.rawValue, entry.type == .other || entry.type == .link ? .faint : .plain),
                TextSpan(entry.mode), TextSpan(entry.type == .file ? entry.size.shownBytes : "-"),
                TextSpan(entry.modified, .faint), TextSpan(shownName(of: entry) + (isDirectory ? "/" : ""), .name),
            ]
        }
    }

    var emptyNote: String { "nothing is in \(target)" }

    var notes: [TextSpan] {
        skipped > 0 ? [TextSpan("(\(skipped) names that are not valid paths are omitted)", .bad)] : []
    }

    /// Returns the path relative to the listed directory.
    private func shownName(of entry: FileInfo) -> String {
        let prefix = target.path + "/"
        guard !target.path.isEmpty, entry.path.utf8.starts(with: prefix.utf8) else { return entry.path }
        return String(entry.path.dropFirst(prefix.count))
    }

    var json: JSONValue {
        var object: JSONObject = [
            "area": .string(target.area), "path": .string(target.path), "entries": .array(jsonLines),
        ]
        if skipped > 0 { object["skipped"] = .integer(Int64(skipped)) }
        return .object(object)
    }

    var jsonLines: [JSONValue] { entries.map { JSONValue(showing: $0) } }
}
