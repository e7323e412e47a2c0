/// A form that a string must have by the keyword `format`: one of JSON Schema's own, or one of Cleat's.
///
/// Two names are in both lists. In the tree of settings, `duration` is the form that people type (`1h30m`) and
/// `hostname` is the form that Linux accepts. In documents they are the forms of ISO 8601 and RFC 1123.
enum SchemaFormat: Sendable {
    case setting(SettingFormat)
    case standard(StandardFormat)

    /// Finds a format; nil if the name is unknown.
    init?(_ name: String, use: JSONSchema.Use) {
        let setting = SettingFormat(rawValue: name).map(Self.setting)
        let standard = StandardFormat(rawValue: name).map(Self.standard)
        guard let format = use == .settings ? setting ?? standard : standard ?? setting else { return nil }
        self = format
    }

    /// Returns all known names, each once.
    static func names(use: JSONSchema.Use) -> [String] {
        let settings = SettingFormat.allCases.map(\.rawValue)
        return settings + StandardFormat.allCases.map(\.rawValue).filter { !settings.contains($0) }
    }

    func accepts(_ text: String) -> Bool {
        switch self {
        case .setting(let format): format.accepts(text)
        case .standard(let format): format.accepts(text)
        }
    }

    /// The description of a text of this form, as the end of a sentence.
    var expectation: String {
        switch self {
        case .setting(let format): format.expectation
        case .standard(let format): format.expectation
        }
    }

    /// Returns the text that was very likely meant; nil if it cannot be guessed.
    func nearMiss(_ text: String) -> String? {
        guard case .setting(let format) = self else { return nil }
        return format.nearMiss(text)
    }

    /// The format if its texts are quantities that `minimum` and `maximum` bound; nil otherwise.
    var quantity: SettingFormat? {
        guard case .setting(let format) = self, format.text(quantity: 0) != nil else { return nil }
        return format
    }
}

extension SettingFormat {
    /// Returns the description of a format, with an example, for a description of settings.
    ///
    /// - Parameter name: the value of the keyword `format`.
    /// - Returns: the description; nil if the name is unknown.
    package static func expectation(ofFormat name: String) -> String? {
        SchemaFormat(name, use: .settings)?.expectation
    }
}
