import CleatJSON
import CleatViews

/// Prints that a hook is paused, or runs again: the output of `cleat hook pause` and `resume`.
struct HookPauseView: TextPresentable, JSONPresentable {
    let name: String
    let isPaused: Bool

    func write(to page: inout TextPage) {
        page.line(.init(isPaused ? "hook \(name) is paused" : "hook \(name) runs again", .good))
    }

    var json: JSONValue { ["name": .string(name), "paused": .bool(isPaused)] }
}
