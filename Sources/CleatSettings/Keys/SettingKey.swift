package import CleatJSON

/// A setting's path with its Swift type and its default, so that a wrong name or type does not compile.
///
/// Keys are declared once, in an extension, and used with a dot:
/// ```swift
/// extension SettingKey<[String]> { static var ntpServers: Self { .init("time/ntp/servers", default: []) } }
/// extension SettingKey<String?> { static var splash: Self { .init("display/splash") } }
/// settings[.ntpServers].append("ntp.example.net")
/// ```
/// Any `Codable` type can be the value, and a type that adopts ``SettingConvertible`` states its own stored form. A
/// struct represents a group of settings, and assigning one changes only the members that differ. A program's schema
/// can be made from its keys, with the rules that they have in addition: ``SettingRule``.
public struct SettingKey<Value: Codable & Sendable>: Sendable {
    /// The path of the setting.
    public let path: SettingPath
    /// The value while the path is unset.
    public let defaultValue: Value
    /// True if the key is optional and reads nil, not the schema's default, while the path is unset.
    package let isOptional: Bool
    /// The functions that add the key's rules to its schema.
    private var rules: [@Sendable (inout JSONObject) throws -> Void] = []

    /// Declares a key.
    ///
    /// - Parameters:
    ///   - path: a literal; one that breaks the grammar of paths stops the program at the first use of the key.
    ///   - defaultValue: the value while the path is unset.
    ///   - rules: the rules of a schema made from the key; the board's schema decides which values are accepted.
    public init(_ path: StaticString, default defaultValue: Value, _ rules: SettingRule<Value>...) {
        self.init(path: Self.path(of: path), default: defaultValue)
        self.rules = rules.map(\.write)
    }

    /// Declares an optional key, which is nil while the path is unset.
    ///
    /// - Parameters:
    ///   - path: a literal; one that breaks the grammar of paths stops the program at the first use of the key.
    ///   - rules: the rules of a schema made from the key; the board's schema decides which values are accepted.
    public init<Wrapped>(_ path: StaticString, _ rules: SettingRule<Wrapped>...) where Value == Wrapped? {
        self.init(path: Self.path(of: path))
        self.rules = rules.map(\.write)
    }

    /// Makes a key for a path that is only known at run time.
    ///
    /// - Parameters:
    ///   - path: the path of the setting.
    ///   - defaultValue: the value while the path is unset.
    public init(path: SettingPath, default defaultValue: Value) {
        self.path = path
        self.defaultValue = defaultValue
        isOptional = false
    }

    /// Makes an optional key for a path that is only known at run time.
    public init<Wrapped>(path: SettingPath) where Value == Wrapped? {
        self.path = path
        defaultValue = nil
        isOptional = true
    }

    private static func path(of literal: StaticString) -> SettingPath {
        do {
            return try SettingPath(literal.description)
        } catch {
            preconditionFailure("A setting key has an invalid path: \(error)")
        }
    }
}

extension SettingKey {
    /// Makes the schema of the setting, or of the group of settings, from the key's type, default and rules.
    ///
    /// - Throws: the reason why the type or the default has no schema.
    package func schema() throws -> JSONObject {
        let value = isOptional ? nil : try JSONValue(setting: defaultValue)
        var schema = try TypeSchema.keywords(of: Value.self, like: value)
        if let value { try TypeSchema.add(value, to: &schema) }
        for rule in rules { try rule(&schema) }
        let first = ["title", "description"].compactMap { name in schema[name].map { (name, $0) } }
        return JSONObject(first + schema.map { ($0.key, $0.value) })
    }
}
