package import CleatJSON

/// Holds the settings as they were at one generation, to be read by typed keys.
///
/// All values belong together: no transaction comes between the reading of one and of the next.
public struct SettingsView: Sendable {
    /// What one path holds.
    package struct Row: Sendable {
        package var path: SettingPath
        /// The value in force, or the schema's default; nil for a secret, and where there is none.
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

    /// The values in force, and the schema's defaults where nobody set anything.
    private(set) var values = SettingsTree()
    /// The values that a layer above the schema's defaults has.
    private(set) var set = SettingsTree()
    /// The values of the committed layer, as far as they are in force.
    private(set) var committed = SettingsTree()
    /// The secrets whose values are not told.
    private(set) var hidden: Set<SettingPath> = []

    /// Takes what a listing of settings gave.
    ///
    /// - Parameter rows: in any order, fastest when sorted by the paths.
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
        for row in rows where row.isSecret && row.value == nil { hidden.insert(row.path) }
    }

    /// Takes settings from their layers.
    package init(_ settings: LayeredSettings) {
        self.init(
            settings.list(under: nil).map {
                Row(path: $0.path, value: $0.value, origin: $0.origin, isSecret: $0.isSecret)
            })
    }

    /// The value of a setting; where what is stored cannot be read as the key's type, the key's default.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        (try? decoded(key)) ?? key.defaultValue
    }

    /// Reads a setting and says what is wrong when it cannot be read as the key's type.
    public func value<Value>(of key: SettingKey<Value>) throws -> Value {
        try decoded(key) ?? key.defaultValue
    }

    /// Says whether a layer above the schema's defaults has a value: whether somebody set the path.
    public func isSet<Value>(_ key: SettingKey<Value>) -> Bool {
        set.contains(key.path)
    }

    /// Says whether there is a secret at a path that was not told.
    package func isHidden(_ path: SettingPath) -> Bool { hidden.contains(path) }

    /// Reads a setting; nil where the key's own default holds.
    func decoded<Value>(_ key: SettingKey<Value>) throws -> Value? {
        if key.isOptional, !set.contains(key.path) { return nil }
        return try values.value(at: key.path)?.decode(Value.self)
    }

    /// Makes a change in what is read and in the committed layer.
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
