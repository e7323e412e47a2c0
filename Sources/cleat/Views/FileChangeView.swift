import CleatAPI
import CleatJSON

/// Prints a moved, copied or created entry: the output of `cleat file mv`, `cp` and `mkdir`.
struct FileChangeView: TextPresentable, JSONPresentable {
    /// The former place; nil for a new directory.
    var from: FileTarget?
    /// The area of the entry.
    var area: String
    /// The entry as it is now.
    var entry: FileInfo

    private var target: FileTarget { FileTarget(area: area, path: entry.path) }

    func write(to page: inout TextPage) {
        if let from {
            page.line(.init(from.description), .init(" -> "), .init(target.description, .name))
        } else {
            page.line(.init(target.description + "/", .name))
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
