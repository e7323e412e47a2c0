/// A setting's path with its Swift type and its default, so that a wrong name or type does not compile.
///
/// Keys are declared once, in an extension, and used with a dot:
/// ```swift
/// extension SettingKey<[String]> { static var ntpServers: Self { .init("time/ntp/servers", default: []) } }
/// extension SettingKey<String?> { static var splash: Self { .init("display/splash") } }
/// settings[.ntpServers].append("ntp.example.net")
/// ```
/// Any `Codable` type can be the value. A struct represents a group of settings, and assigning one changes only the
/// members that differ.
public struct SettingKey<Value: Codable & Sendable>: Sendable {
    /// The path of the setting.
    public let path: SettingPath
    /// The value while the path is unset.
    public let defaultValue: Value
    /// True if the key is optional and reads nil, not the schema's default, while the path is unset.
    package let isOptional: Bool

    /// Declares a key.
    ///
    /// - Parameters:
    ///   - path: a literal; one that breaks the grammar of paths stops the program at the first use of the key.
    ///   - defaultValue: the value while the path is unset.
    public init(_ path: StaticString, default defaultValue: Value) {
        self.init(path: Self.path(of: path), default: defaultValue)
    }

    /// Declares an optional key, which is nil while the path is unset.
    ///
    /// - Parameter path: a literal; one that breaks the grammar of paths stops the program at the first use of the key.
    public init<Wrapped>(_ path: StaticString) where Value == Wrapped? {
        self.init(path: Self.path(of: path))
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
