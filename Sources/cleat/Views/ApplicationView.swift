import CleatAPI
import CleatJSON
import CleatSettings

/// Shows what a text changed: what `cleat apply` and `cleat edit` print.
struct ApplicationView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Set.Reply
    /// What is set, was not named, and stayed.
    var kept: [SettingPath] = []

    func write(to page: inout TextPage) {
        CommitView(reply: reply).write(to: &page)
        page.leftAlone(kept)
    }

    var json: JSONValue {
        guard var object = JSONValue(showing: reply).objectValue else { return .null }
        if !kept.isEmpty { object["kept"] = .array(kept.map { .string($0.text) }) }
        return .object(object)
    }
}
