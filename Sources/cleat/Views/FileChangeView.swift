import CleatAPI
import CleatJSON
import CleatViews

/// Prints a moved, copied, created or changed entry: the output of `cleat file mv`, `cp`, `mkdir` and `chmod`.
struct FileChangeView: TextPresentable, JSONPresentable {
    /// The former place; nil for a new directory or new permissions.
    var from: FileTarget?
    /// The area of the entry.
    var area: String
    /// The entry as it is now.
    var entry: FileInfo

    private var target: FileTarget { FileTarget(area: area, path: entry.path) }

    func write(to page: inout TextPage) {
        if let from {
            page.line(.init(from.description), .init(" -> "), .init(target.description, .name))
        } else if entry.type == .directory {
            page.line(.init(target.description + "/", .name))
        } else {
            page.line(.init(target.description, .name), .init(": mode \(entry.mode)"))
        }
    }

    var json: JSONValue {
        var object: JSONObject = [:]
        if let from { object["from"] = .string(from.description) }
        object["area"] = .string(area)
        object["entry"] = JSONValue(showing: entry)
        return .object(object)
    }
}

/// Prints the removed files or uploads: the output of `cleat file rm` and `cleat file abort`.
struct FileRemovalView: TextPresentable, JSONPresentable {
    /// The removed places or ids.
    var removed: [String]

    func write(to page: inout TextPage) {
        for name in removed { page.line(.init("removed "), .init(name, .name)) }
    }

    var json: JSONValue { ["removed": .array(removed.map(JSONValue.string))] }

    var jsonLines: [JSONValue] { removed.map { ["removed": .string($0)] } }
}

/// Prints the appended part of a file: the output of `cleat file append`.
struct FileAppendView: TextPresentable, JSONPresentable {
    var target: FileTarget
    /// The number of appended bytes.
    var appended: Int64
    /// The new size of the file, in bytes.
    var size: Int64

    func write(to page: inout TextPage) {
        page.line(.init("appended \(appended.shownBytes) to "), .init(target.description, .name))
    }

    var json: JSONValue {
        [
            "area": .string(target.area), "path": .string(target.path), "appended": .integer(appended),
            "size": .integer(size),
        ]
    }
}
