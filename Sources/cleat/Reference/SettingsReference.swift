import CleatAPI
import CleatJSON
import CleatViews

/// Writes a Markdown page about settings, group by group; implements `cleat describe --markdown`.
struct SettingsReference {
    /// The descriptions of the settings, in any order.
    var descriptions: [SettingDescription]
    /// The descriptions of groups in the schema, in any order.
    var groups: [GroupDescription] = []
    /// The path of the group; nil for all settings.
    var prefix: String?

    /// The page.
    var text: String {
        var page = "# Settings" + (prefix.map { " below \(MarkdownText.code($0))" } ?? "") + "\n\n"
        page += "A name in braces stands for any key of a map. `cleat set PATH=VALUE` changes a setting, "
        page += "`cleat unset PATH` restores its default.\n"
        if descriptions.isEmpty { page += "\nThere is no setting here.\n" }
        for (group, settings) in sections {
            page += "\n## " + (group.isEmpty ? "At the top" : MarkdownText.code(group)) + "\n"
            if let words = words(about: group) { page += "\n\(words)\n" }
            for setting in settings { page += "\n" + Self.entry(setting) }
        }
        return page
    }

    /// The settings by group, both sorted by the bytes of their paths; a group with a description of its own is
    /// included even without settings.
    private var sections: [(path: String, settings: [SettingDescription])] {
        var sections: [(path: String, settings: [SettingDescription])] = []
        func precedes(_ left: String, _ right: String) -> Bool { left.utf8.lexicographicallyPrecedes(right.utf8) }
        var placed: [(group: String, setting: SettingDescription?)] = descriptions.map { (Self.group(of: $0.path), $0) }
        placed += groups.map { ($0.path, nil) }
        let sorted = placed.sorted { left, right in
            left.group.utf8.elementsEqual(right.group.utf8)
                ? precedes(left.setting?.path ?? "", right.setting?.path ?? "") : precedes(left.group, right.group)
        }
        for (group, setting) in sorted {
            if sections.last?.path.utf8.elementsEqual(group.utf8) != true { sections.append((group, [])) }
            if let setting { sections[sections.count - 1].settings.append(setting) }
        }
        return sections
    }

    private func words(about path: String) -> String? {
        groups.first { $0.path.utf8.elementsEqual(path.utf8) }.flatMap { Self.lead($0.title, $0.description) }
    }

    /// Returns the title and the description; nil if there is neither.
    private static func lead(_ title: String?, _ description: String?) -> String? {
        var lead: [String] = []
        if let title, !title.isEmpty { lead.append("**\(MarkdownText.plain(title))**") }
        if let description, !description.isEmpty { lead.append(MarkdownText.plain(description)) }
        return lead.isEmpty ? nil : lead.joined(separator: ": ")
    }

    private static func group(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? ""
    }

    private static func entry(_ setting: SettingDescription) -> String {
        let keywords = setting.constraints.objectValue ?? [:]
        var text = "### \(MarkdownText.code(setting.path))\n\n"
        if let lead = lead(setting.title, setting.description) { text += lead + "\n\n" }
        var marks: [String] = []
        if keywords["deprecated"]?.boolValue == true { marks.append("deprecated: it should no longer be used") }
        if keywords["readOnly"]?.boolValue == true { marks.append("read-only: it is not for people to change") }
        if keywords["writeOnly"]?.boolValue == true { marks.append("secret: its value is not shown") }
        for mark in marks { text += "- **\(mark)**\n" }
        let types = setting.types.isEmpty ? "any" : setting.types.map(MarkdownText.plain).joined(separator: " or ")
        text += "- type: \(types)\n"
        if let value = setting.default { text += "- default: \(code(value))\n" }
        let phrases = ConstraintText.phrases(for: keywords, as: .markdown)
        if !phrases.isEmpty { text += "- allowed: \(phrases.joined(separator: "; "))\n" }
        if let examples = keywords["examples"]?.arrayValue, !examples.isEmpty {
            text += "- examples: \(examples.map(code).joined(separator: ", "))\n"
        }
        return text
    }

    private static func code(_ value: JSONValue) -> String {
        MarkdownText.code(SettingText.text(of: value))
    }
}
