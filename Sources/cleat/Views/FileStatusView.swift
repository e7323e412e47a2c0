import CleatAPI
import CleatJSON
import CleatViews

/// Prints the attributes of one entry: the output of `cleat file stat`.
struct FileStatusView: TextPresentable, JSONPresentable {
    var area: String
    var entry: FileInfo
    var token: String?
    var sha256: String?
    var realPath: String?

    func write(to page: inout TextPage) {
        var rows = [
            ("path", FileTarget(area: area, path: entry.path).description), ("type", entry.type.rawValue),
            ("size", entry.size < 1024 ? "\(entry.size) B" : "\(entry.size.shownBytes) (\(entry.size) B)"),
            ("mode", entry.mode), ("owner", "\(entry.uid):\(entry.gid)"), ("links", "\(entry.links)"),
            ("modified", entry.modified),
        ]
        if entry.type != .file { rows.remove(at: 2) }
        if let realPath { rows.append(("real path", realPath)) }
        if let sha256 { rows.append(("sha256", sha256)) }
        for (name, text) in rows {
            page.line(.init(name, .faint), .init(String(repeating: " ", count: 10 - name.count)), .init(text))
        }
    }

    var json: JSONValue {
        var object: JSONObject = ["area": .string(area), "entry": JSONValue(showing: entry)]
        if let token { object["token"] = .string(token) }
        if let realPath { object["real_path"] = .string(realPath) }
        if let sha256 { object["sha256"] = .string(sha256) }
        return .object(object)
    }
}

/// Prints the existence of an entry and the service's access to it: the output of `cleat file exists`.
struct FileExistenceView: TextPresentable, JSONPresentable {
    var target: FileTarget
    /// The entry; nil if there is none.
    var found: FilesInterface.Stat.Reply?

    func write(to page: inout TextPage) {
        let access = [("readable", found?.readable), ("writable", found?.writable)].compactMap { name, may in
            may.map { $0 ? ", \(name)" : ", not \(name)" }
        }
        let word = found == nil ? "does not exist" : "exists"
        page.line(.init(target.description, .name), .init(": \(word)\(access.joined())"))
    }

    var json: JSONValue {
        var object: JSONObject = ["area": .string(target.area), "path": .string(target.path)]
        object["exists"] = .bool(found != nil)
        if let may = found?.readable { object["readable"] = .bool(may) }
        if let may = found?.writable { object["writable"] = .bool(may) }
        return .object(object)
    }
}
