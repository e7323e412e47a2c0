import CleatAPI
import CleatJSON
import CleatSettings

/// Prints the changes of a text: the output of `cleat apply` and `cleat edit`.
struct ApplicationView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Set.Reply
    /// The withheld settings that the text did not name, and that were kept.
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
