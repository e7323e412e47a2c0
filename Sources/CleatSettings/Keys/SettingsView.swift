package import CleatJSON

/// The settings at one generation, to be read by typed keys.
///
/// All values are of the same generation: no transaction changes them between two reads.
public struct SettingsView: Sendable {
    /// The setting at one path.
    package struct Row: Sendable {
        package var path: SettingPath
        /// The value in force, or the schema's default; nil for a secret, and if there is none.
        package var value: JSONValue?
        package var origin: ResolvedSetting.Origin
        package var isSecret: Bool

        /// Makes a row.
        package init(path: SettingPath, value: JSONValue?, origin: ResolvedSetting.Origin, isSecret: Bool = false) {
            self.path = path
            self.value = value
            self.origin = origin
            self.isSecret = isSecret
        }
    }

    /// The values in force, including the schema's defaults of unset settings.
    private(set) var values = SettingsTree()
    /// The values that come from a layer above the schema's defaults.
    private(set) var set = SettingsTree()
    /// The values of the committed layer, as far as they are in force.
    private(set) var committed = SettingsTree()
    /// The secrets whose values are not shown.
    private(set) var hidden: Set<SettingPath> = []
    /// All secrets, shown or not.
    private var secrets: Set<SettingPath> = []
    /// Those of the hidden secrets that a layer above the schema's defaults has a value for.
    private var hiddenSet: Set<SettingPath> = []

    /// Makes a view from a listing of settings.
    ///
    /// - Parameter rows: in any order; sorted by path is fastest.
    package init(_ rows: [Row]) {
        func tree(where isTaken: (Row) -> Bool) -> SettingsTree {
            SettingsTree(
                rows.compactMap { row in
                    guard isTaken(row) else { return nil }
                    return row.value.map { (row.path, $0) }
                })
        }
        values = tree { _ in true }
        set = tree { $0.origin != .schemaDefault }
        committed = tree { $0.origin == .committed }
        for row in rows where row.isSecret {
            secrets.insert(row.path)
            guard row.value == nil else { continue }
            hidden.insert(row.path)
            if row.origin != .schemaDefault { hiddenSet.insert(row.path) }
        }
    }

    /// Makes a view from layered settings.
    package init(_ settings: LayeredSettings) {
        self.init(
            settings.list(under: nil).map {
                Row(path: $0.path, value: $0.value, origin: $0.origin, isSecret: $0.isSecret)
            })
    }

    /// Makes a view from values, as an object from the root of the settings; all of them count as set.
    ///
    /// - Throws: the first name that no path can have.
    package init(values: JSONObject) throws {
        self.init(
            try values.flatMap { name, value in
                try Self.rows(of: value, at: try SettingPath(segments: [name]))
            })
    }

    /// Returns a row for each value of an object, and of those in it.
    private static func rows(of value: JSONValue, at path: SettingPath) throws -> [Row] {
        guard let object = value.objectValue, !object.isEmpty else {
            return [Row(path: path, value: value, origin: .committed)]
        }
        return try object.flatMap { name, value in try rows(of: value, at: try path.appending(name)) }
    }

    /// The value of a setting; the key's default if the stored value cannot be read as the key's type.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        (try? decoded(key)) ?? key.defaultValue
    }

    /// Reads a setting, or throws the reason why it cannot be read as the key's type.
    public func value<Value>(of key: SettingKey<Value>) throws -> Value {
        try decoded(key) ?? key.defaultValue
    }

    /// Returns true if a layer above the schema's defaults has a value at the path.
    public func isSet<Value>(_ key: SettingKey<Value>) -> Bool {
        set.contains(key.path)
    }

    /// Returns true if there is a secret at a path whose value is not shown.
    package func isHidden(_ path: SettingPath) -> Bool { hidden.contains(path) }

    /// Returns true if a path is that of a secret, or above or below one.
    func holdsSecret(_ path: SettingPath) -> Bool {
        secrets.contains { path.isPrefix(of: $0) || $0.isPrefix(of: path) }
    }

    /// Returns the value in force at a path, or the schema's default; nil for a hidden secret, and if there is none.
    package func value(at path: SettingPath) -> JSONValue? { values.value(at: path) }

    /// Returns true if a layer above the schema's defaults has a value at a path, shown or not.
    package func isSet(_ path: SettingPath) -> Bool { set.contains(path) || hiddenSet.contains(path) }

    /// Returns the names directly below a path that have values or hidden secrets at them or below them.
    package func names(below path: SettingPath) -> Set<String> {
        values.childNames(of: path).union(hidden.filter { $0.isBelow(path) }.map { $0.segments[path.count] })
    }

    /// Reads a setting; returns nil if the key's own default is in force.
    func decoded<Value>(_ key: SettingKey<Value>) throws -> Value? {
        if key.isOptional, !set.contains(key.path) { return nil }
        return try values.value(at: key.path)?.decode(setting: Value.self)
    }

    /// Applies a change to the values that are read and to the committed layer.
    mutating func apply(_ change: Change) {
        var differences: [SettingDifference] = []
        committed.apply(change, recording: &differences)
        differences = []
        set.apply(change, recording: &differences)
        differences = []
        values.apply(change, recording: &differences)
        hidden.remove(change.path)
    }
}
