import CleatAPI
import CleatJSON

/// Shows what a change on the board made: what `cleat file mv`, `cp` and `mkdir` print.
struct FileChangeView: TextPresentable, JSONPresentable {
    /// Where it was; nil for something new.
    var from: FileTarget?
    /// The area that it stands in now.
    var area: String
    /// What stands there now.
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
