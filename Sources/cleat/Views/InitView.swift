import CleatAPI
import CleatJSON
import CleatViews

/// Prints the present configuration as settings, and the plan: the output of `cleat init --dry-run`.
struct InitView: TextPresentable, JSONPresentable {
    /// The settings.
    var settings: [PresentSetting]
    /// The parts that are not imported.
    var skipped: [SkippedPart]
    /// The number of further parts that are not listed.
    var omitted: Int
    /// The plan of the change; nil if there is nothing to import.
    var plan: SettingsInterface.Set.Reply?

    func write(to page: inout TextPage) {
        for setting in settings {
            page.line(
                .init(setting.path, .name), .init(" = \(SettingText.text(of: setting.value))"),
                .init("  \(setting.source)", .faint))
        }
        for part in skipped { page.line(.init(part.source, .strong), .init(" \(part.reason)")) }
        if omitted > 0 { page.line(.init("and \(omitted) more", .faint)) }
        guard var reply = plan else {
            page.line(.init("nothing to import", .faint))
            return
        }
        // The settings are listed above, with their files.
        reply.changes = []
        PlanView(reply: reply).write(to: &page)
    }

    var json: JSONValue {
        var object: JSONObject = [
            "settings": .array(settings.map { JSONValue(showing: $0) }),
            "skipped": .array(skipped.map { JSONValue(showing: $0) }),
        ]
        if omitted > 0 { object["omitted"] = JSONValue(omitted) }
        if let plan = plan?.plan { object["plan"] = JSONValue(showing: plan) }
        return .object(object)
    }
}
