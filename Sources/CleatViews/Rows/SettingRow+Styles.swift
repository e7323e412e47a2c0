import CleatAPI
public import CleatJSON
public import CleatSettings

extension SettingRow: TextPresentable, JSONPresentable {
    /// Writes the setting as one line, and a group as the lines of its rows: `lamp/brightness = 80 %  (default)`.
    public func write(to page: inout TextPage) {
        guard rows.isEmpty else { return rows.write(to: &page) }
        let mark = isEdited ? "  (edited)" : !isSet && value != nil ? "  (default)" : ""
        page.line(.init(path, .name), .init(" = "), shown, .init(mark, isEdited ? .strong : .faint))
    }

    /// The value and its unit; `(secret)` for a secret, `(unset)` if there is none.
    public var shown: TextSpan {
        guard let value else { return TextSpan(isSecret && isSet ? "(secret)" : "(unset)", .faint) }
        var text = SettingText.text(of: value)
        if case .number(let range) = kind, let unit = range.unit { text += " \(unit)" }
        return TextSpan(text, isSet ? .plain : .faint)
    }

    /// Writes the schema of the setting: the output of `cleat describe`.
    public func writeDescription(to page: inout TextPage) {
        page.line(.init(path, .name), .init("  "), .init(schema.types.joined(separator: " or ")))
        let texts = [title, help].compactMap(\.self)
        if !texts.isEmpty { page.line(.init("    " + texts.joined(separator: ": "))) }
        if let value = defaultValue {
            page.line(.init("    default: ", .faint), .init(SettingText.text(of: value)))
        }
        for (name, value) in schema.constraints.objectValue ?? [:] {
            page.line(.init("    \(name): ", .faint), .init(SettingText.text(of: value)))
        }
    }

    /// The schema as in the JSON of `cleat describe`, then `kind`, `value`, `set`, `edited`, and the `rows` of a group.
    public var json: JSONValue {
        var schema = schema
        if isSecret { schema.default = nil }
        var object = schema.wire
        object["kind"] = .string(kind.name)
        if kind == .group {
            object["rows"] = rows.json
        } else {
            object["value"] = value
            object["set"] = .bool(isSet)
        }
        object["edited"] = .bool(isEdited)
        return .object(object)
    }
}

extension SettingRow: CustomStringConvertible, CustomReflectable {
    /// The row as its lines of text.
    public var description: String {
        var page = TextPage()
        write(to: &page)
        return String(page.text.dropLast())
    }

    /// The path and the text of the value: a dump does not contain the new value of a secret.
    public var customMirror: Mirror { Mirror(self, children: ["path": path, "value": shown.text, "rows": rows]) }
}

extension Array: TextPresentable where Element: TextPresentable {
    /// Writes the views one after another.
    public func write(to page: inout TextPage) {
        for view in self { view.write(to: &page) }
    }
}

extension Array: JSONPresentable where Element: JSONPresentable {
    /// A list of the views.
    public var json: JSONValue { .array(map(\.json)) }

    /// The lines of all views.
    public var jsonLines: [JSONValue] { flatMap(\.jsonLines) }
}

extension [SettingRow] {
    /// The rows of all settings, those in groups included, without the groups.
    public var settings: [SettingRow] { flatMap { $0.kind == .group ? $0.rows.settings : [$0] } }

    /// The edits of all rows.
    public var changes: [Change] { flatMap(\.changes) }

    /// The row with a path, here or in a group; nil if there is none.
    ///
    /// Setting it to nil, or to the row of another path, changes nothing.
    public subscript(path: String) -> SettingRow? {
        get { settings.first { $0.path == path } }
        set {
            guard let newValue, newValue.path == path else { return }
            for index in indices {
                if self[index].path == path { self[index] = newValue } else { self[index].rows[path] = newValue }
            }
        }
    }
}

/// A table of settings with their values, and the valid values in words.
public struct SettingTable: TablePresentable, JSONPresentable {
    /// The rows, as a list or in groups.
    public var settings: [SettingRow]

    /// Creates a table of rows; the settings of groups are listed, and the groups are not.
    public init(_ rows: [SettingRow]) { settings = rows.settings }

    /// The headings.
    public var columns: [String] { ["SETTING", "VALUE", "ALLOWED"] }

    /// The path, the value and the hint of each setting.
    public var rows: [[TextSpan]] {
        settings.map { [TextSpan($0.path, .name), $0.shown, TextSpan($0.hint, .faint)] }
    }

    /// The note for an empty table.
    public var emptyNote: String { "there is no setting here" }

    /// A list of the rows.
    public var json: JSONValue { settings.json }

    /// The rows, one a line.
    public var jsonLines: [JSONValue] { settings.jsonLines }
}
