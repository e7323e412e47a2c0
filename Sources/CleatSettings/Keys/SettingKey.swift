public import CleatJSON

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
    public var path: SettingPath {
        switch place {
        case .path(let path): path
        case .literal(let literal): Self.path(of: literal)
        }
    }
    /// The path as it was given: a literal is parsed when the path is needed.
    @usableFromInline let place: Place
    /// The value while the path is unset.
    public let defaultValue: Value
    /// True if the key is optional and reads nil, not the schema's default, while the path is unset.
    @usableFromInline package let isOptional: Bool
    /// The functions that add the key's rules to its schema.
    ///
    /// A key is made for each use, so they are taken without a key path, which is resolved at run time.
    @usableFromInline var rules: [@Sendable (inout JSONObject) throws -> Void] = []

    @usableFromInline enum Place: Sendable {
        case literal(StaticString)
        case path(SettingPath)
    }

    /// Declares a key.
    ///
    /// - Parameters:
    ///   - path: a literal; one that breaks the grammar of paths stops the program at the first use of the key.
    ///   - defaultValue: the value while the path is unset.
    ///   - rules: the rules of a schema made from the key; the board's schema decides which values are accepted.
    @inlinable public init(_ path: StaticString, default defaultValue: Value, _ rules: SettingRule<Value>...) {
        place = .literal(path)
        self.defaultValue = defaultValue
        isOptional = false
        self.rules = rules.map { $0.write }
    }

    /// Declares an optional key, which is nil while the path is unset.
    ///
    /// - Parameters:
    ///   - path: a literal; one that breaks the grammar of paths stops the program at the first use of the key.
    ///   - rules: the rules of a schema made from the key; the board's schema decides which values are accepted.
    @inlinable public init<Wrapped>(_ path: StaticString, _ rules: SettingRule<Wrapped>...) where Value == Wrapped? {
        place = .literal(path)
        defaultValue = nil
        isOptional = true
        self.rules = rules.map { $0.write }
    }

    /// Makes a key for a path that is only known at run time.
    ///
    /// - Parameters:
    ///   - path: the path of the setting.
    ///   - defaultValue: the value while the path is unset.
    public init(path: SettingPath, default defaultValue: Value) {
        place = .path(path)
        self.defaultValue = defaultValue
        isOptional = false
    }

    /// Makes an optional key for a path that is only known at run time.
    public init<Wrapped>(path: SettingPath) where Value == Wrapped? {
        place = .path(path)
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

/// The place of a key's literal in the program: keys with the same one have the same path.
@usableFromInline package struct SettingKeyLiteral: Hashable, Sendable {
    @usableFromInline let address: UInt
    @usableFromInline let isOptional: Bool

    /// Takes the address of a literal; its length belongs to it, since the text ends with a zero byte.
    @inlinable init(_ literal: StaticString, isOptional: Bool) {
        address = unsafe UInt(bitPattern: literal.utf8Start)
        self.isOptional = isOptional
    }
}

extension SettingKey {
    /// The place of the key's literal; nil for a path that is only known at run time.
    @inlinable package var literal: SettingKeyLiteral? {
        switch place {
        case .literal(let literal) where literal.hasPointerRepresentation:
            SettingKeyLiteral(literal, isOptional: isOptional)
        default: nil
        }
    }

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
