package import CleatAPI
public import CleatJSON
public import CleatSettings

/// A setting as an editable row: its schema, its value, and an edit that is not sent yet.
///
/// A form, a page of a terminal or a web page shows a row by its ``kind``. An edit is validated by the rules of the
/// service before it is sent:
/// ```swift
/// var rows = try await cleat.rows(below: "lamp")
/// try rows["lamp/brightness"]?.edit(text: "30")  // throws RefusedValue: lamp/brightness: is 300, but must be …
/// try await cleat.save(rows)
/// ```
/// A group has the rows of its settings in ``rows``. The value of a secret is in no text and no property of its row,
/// except for a new one in ``changes``.
public struct SettingRow: Hashable, Sendable, Identifiable {
    private enum Edit: Hashable, Sendable {
        case set(JSONValue)
        case unset
    }

    /// The schema of the setting, with its path.
    let schema: SettingDescription
    /// The value in force, or the schema's default; nil for a secret, and if there is none.
    private let current: JSONValue?
    /// True if a layer above the schema's defaults has a value.
    private let isStored: Bool
    private var pending: Edit?
    /// The rows of a group; none for a setting.
    public var rows: [SettingRow]

    /// Creates the row of a setting, or of a group.
    package init(
        _ schema: SettingDescription, value: JSONValue? = nil, isSet: Bool = false, rows: [SettingRow] = []
    ) {
        self.schema = schema
        self.rows = rows
        isStored = isSet
        current = RowKind(types: schema.types, constraints: schema.keywords) == .secret ? nil : value
    }

    /// Creates the row of a schema that the program has itself; of a group, with the rows of its settings.
    ///
    /// - Parameters:
    ///   - path: the path of the setting or the group.
    ///   - schema: the keywords of its JSON Schema, as in `schema.d`.
    ///   - value: the value; nil if it is unset.
    /// - Throws: the faults of the schema with the code `schema`, or the reasons why the schema refuses the value.
    public init(
        _ path: SettingPath, schema: JSONObject, value: JSONValue? = nil
    ) throws(RefusedValue) {
        let compiled: Schema
        do {
            compiled = try Schema(schema, at: path)
        } catch {
            throw RefusedValue(path.text, "schema", "\(error)")
        }
        let settings = try Self.settings(with: value, at: path, in: compiled)
        let made = RowBuilder(.init(describing: path, in: compiled), SettingsView(settings)).rows(below: path.parent)
        self = made.first ?? SettingRow(.init(path: path.text, types: ["object"]))
    }

    /// Hashes the path and the values.
    ///
    /// - Parameter hasher: the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(current)
        hasher.combine(pending)
        hasher.combine(rows)
    }

    // MARK: The setting

    /// The path of the setting or the group.
    public var path: String { schema.path }
    /// The path, which is unique among the rows of a board.
    public var id: String { schema.path }
    /// The short name for users; nil if the schema has none.
    public var title: String? { schema.title }
    /// The effect of the setting, for users; nil if the schema has none.
    public var help: String? { schema.description }
    /// The control for the setting.
    public var kind: RowKind { RowKind(types: schema.types, constraints: schema.keywords) }
    /// The value while the setting is unset; nil for a secret, and if there is none.
    public var defaultValue: JSONValue? { isSecret ? nil : schema.default }
    /// True if the value is a secret.
    public var isSecret: Bool { kind == .secret }

    /// The valid values in words: `integer; 0 to 100; in %`.
    public var hint: String {
        var words = ConstraintText.phrases(for: schema.constraints.objectValue ?? [:], as: .none)
        if case .choice = kind {} else { words.insert(schema.types.joined(separator: " or "), at: 0) }
        return words.filter { !$0.isEmpty }.joined(separator: "; ")
    }

    // MARK: The value

    /// The value after the edit, if there is one: the one in force, or the schema's default; nil for a secret.
    public var value: JSONValue? {
        if isSecret { return nil }
        return switch pending {
        case .set(let value): value
        case .unset: schema.default
        case nil: current
        }
    }

    /// The value as a text that ``edit(text:)`` reads as the same value; empty for a secret, and if there is none.
    public var text: String { value.map(SettingText.text(of:)) ?? "" }
    /// True if the setting has a value other than the schema's default, or will have one after the edit.
    public var isSet: Bool { pending.map { $0 != .unset } ?? isStored }
    /// True if the setting is edited, or one of a group.
    public var isEdited: Bool { pending != nil || rows.contains(where: \.isEdited) }

    /// The edits of the row and of the rows below it, which `Cleat.save(_:comment:)` sends.
    ///
    /// They contain the new values of secrets, so they are not for printing.
    public var changes: [Change] {
        let below = rows.flatMap(\.changes)
        guard let pending, let path = try? SettingPath(path) else { return below }
        if case .set(let value) = pending { return [Change(path, value)] + below }
        return [Change(path, nil)] + below
    }

    /// The reasons why the present value is not valid; nil if it is valid, or not known.
    public var refusal: RefusedValue? {
        guard let value, kind != .group else { return nil }
        do throws(RefusedValue) {
            _ = try checked(value)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Editing

    /// Edits the setting as `cleat set` reads a value: numbers, true and false, lists in brackets, else texts.
    ///
    /// - Throws: the reasons why the text is not a valid value; the row is unchanged then.
    public mutating func edit(text: String) throws(RefusedValue) {
        let guessed = try parsed(text, types: nil)
        do throws(RefusedValue) {
            try set(guessed)
        } catch {
            // A text of a setting with another type: the number 42 for a label is the text “42”.
            guard error.problems.contains(where: { $0.code == SettingProblem.Code.type.description }) else {
                throw error
            }
            let typed = try parsed(text, types: schema.types)
            if typed == guessed { throw error }
            try set(typed)
        }
    }

    /// Edits the setting.
    ///
    /// - Throws: the reasons why the value is not valid; the row is unchanged then.
    public mutating func set(_ value: JSONValue) throws(RefusedValue) {
        pending = .set(try checked(value))
    }

    /// Edits the setting so that the values of lower layers and the schema's default apply again.
    ///
    /// In a group it edits all settings.
    public mutating func unset() {
        if kind != .group { pending = .unset }
        for index in rows.indices { rows[index].unset() }
    }

    private func parsed(_ text: String, types: [String]?) throws(RefusedValue) -> JSONValue {
        do {
            return try SettingValueText.parse(text, types: types, isSecret: isSecret)
        } catch {
            throw RefusedValue(path, SettingProblem.Code.type.description, "\(error)")
        }
    }

    /// Returns a value in its stored form.
    private func checked(_ value: JSONValue) throws(RefusedValue) -> JSONValue {
        let place: SettingPath
        let rules: Schema
        do {
            place = try SettingPath(path)
            // The service validates by a schema that this library cannot compile.
            rules = try (try? Schema(schema.keywords, at: place)) ?? Schema([:], at: place)
        } catch {
            throw RefusedValue(path, "path", "\(error)")
        }
        if kind == .group { throw RefusedValue(path, "type", "is a group of settings, not a value; edit its rows") }
        if value.isNull { throw RefusedValue(rules.problems(with: value, at: place)) }
        return try Self.settings(with: value, at: place, in: rules).committed.value(at: place) ?? value
    }

    /// Sets a value, or none, in settings that have only one schema, as the service does.
    private static func settings(
        with value: JSONValue?, at path: SettingPath, in schema: Schema
    ) throws(RefusedValue) -> LayeredSettings {
        let changes: ChangeSet
        do {
            changes = try ChangeSet(value.map { [Change(path, $0)] } ?? [])
        } catch {
            throw RefusedValue((error.path ?? path).text, error.code.description, "\(error)")
        }
        let proposal = LayeredSettings(schema: schema).propose(changes)
        guard proposal.problems.isEmpty else { throw RefusedValue(proposal.problems) }
        return proposal.settings
    }
}

extension SettingDescription {
    /// The keywords of the schema, with the types.
    var keywords: JSONObject {
        var keywords = constraints.objectValue ?? [:]
        if !types.isEmpty { keywords["type"] = .array(types.map(JSONValue.string)) }
        return keywords
    }
}
