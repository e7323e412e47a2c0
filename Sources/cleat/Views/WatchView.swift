import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// Prints one commit, or the initial state: an item of the output of `cleat watch`.
struct WatchView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Watch.Reply

    func write(to page: inout TextPage) {
        if let lost = reply.lost, lost > 0 {
            page.line(.init("(\(lost) commits were lost; the present state follows)", .bad))
        }
        let number = TextSpan("#\(reply.generation) ", .faint)
        for setting in reply.settings {
            var spans = [number, TextSpan(setting.path, .name), TextSpan(" = ")]
            let missing = setting.secret == true && setting.origin != .schemaDefault ? "(secret)" : "unset"
            spans.append(TextSpan(SettingText.text(of: setting.value, missing: missing)))
            if let inactive = setting.inactive
                ?? (setting.origin == .schemaDefault && setting.value != nil ? "default" : nil)
            {
                spans.append(TextSpan("  (\(inactive))", .faint))
            }
            page.line(spans)
        }
        for path in reply.removed { page.line(number, .init(path, .name), .init(" unset")) }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}
