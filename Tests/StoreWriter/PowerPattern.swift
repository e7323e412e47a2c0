import CleatJSON
import CleatSettings
import CleatStore

/// Defines the contents of each generation in the power writer's store, so that a partial one is detected.
///
/// Generation N sets `count` settings to N, and one of fifty others to a text whose length varies with N: so the pages
/// that a commit touches change from one to the next.
struct PowerPattern {
    /// The number of settings that every generation changes.
    var count: Int64

    /// All settings of a generation, by path.
    func state(_ number: Int64) -> [String: JSONValue] {
        guard number > 0 else { return [:] }
        var state: [String: JSONValue] = [:]
        for index in 0..<count { state["set/n\(index)"] = .integer(number) }
        for writer in max(1, number - 49)...number { state[wandering(writer)] = value(writer) }
        return state
    }

    /// The changes that lead from the generation before to this one, sorted by path.
    func changes(_ number: Int64) -> [StoredChange] {
        var changes: [(String, JSONValue?, JSONValue?)] = []
        for index in 0..<count {
            changes.append(("set/n\(index)", number > 1 ? .integer(number - 1) : nil, .integer(number)))
        }
        changes.append((wandering(number), number > 50 ? value(number - 50) : nil, value(number)))
        return changes.compactMap { text, old, new in
            (try? SettingPath(text)).map { StoredChange(path: $0, old: old, new: new) }
        }.sorted { $0.path < $1.path }
    }

    /// The id of the commit that made a generation.
    static func id(_ number: Int64) -> String { "power-\(number)" }

    private func wandering(_ number: Int64) -> String { "many/n\(number % 50)" }

    private func value(_ number: Int64) -> JSONValue {
        .string("\(number) " + String(repeating: "x", count: Int(number * 37 % 900)))
    }
}
