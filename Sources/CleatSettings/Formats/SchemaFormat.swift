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

/// The formats of JSON Schema 2020-12 (validation, section 7.3) that ``SettingFormat`` lacks or defines otherwise.
enum StandardFormat: String, Sendable, CaseIterable {
    case dateTime = "date-time"
    case date
    case time
    /// A duration of ISO 8601 as in RFC 3339, appendix A: `P1DT12H`.
    case duration
    case email
    case idnEmail = "idn-email"
    /// A host name of RFC 1123, at most 253 bytes.
    case hostname
    case idnHostname = "idn-hostname"
    case uriReference = "uri-reference"
    case iri
    case iriReference = "iri-reference"
    case uriTemplate = "uri-template"
    case uuid
    case jsonPointer = "json-pointer"
    case relativeJSONPointer = "relative-json-pointer"
    case regex

    func accepts(_ text: String) -> Bool {
        switch self {
        case .dateTime: CalendarText.isDateTime(text)
        case .date: CalendarText.isDate(text.utf8[...])
        case .time: CalendarText.isTime(text.utf8[...])
        case .duration: CalendarText.isDuration(text)
        case .email: MailText.isAddress(text, isInternational: false)
        case .idnEmail: MailText.isAddress(text, isInternational: true)
        case .hostname: DomainText.isHostname(text)
        case .idnHostname: DomainText.isInternational(text)
        case .uriReference: URIText.isReference(text, isInternational: false)
        case .iri: URIText.isURI(text, isInternational: true)
        case .iriReference: URIText.isReference(text, isInternational: true)
        case .uriTemplate: URITemplateText.isTemplate(text)
        case .uuid: Self.isUUID(text)
        case .jsonPointer: Self.isPointer(text.utf8[...])
        case .relativeJSONPointer: Self.isRelativePointer(text)
        case .regex: Pattern.isSyntax(text)
        }
    }

    var expectation: String {
        switch self {
        case .dateTime: "a time of RFC 3339 such as “2024-02-29T12:00:00Z”"
        case .date: "a date such as “2024-02-29”"
        case .time: "a time of day with its offset such as “12:00:00Z”"
        case .duration: "a duration of ISO 8601 such as “P1DT12H”"
        case .email, .idnEmail: "a mail address such as “someone@example.net”"
        case .hostname, .idnHostname: "a host name such as “www.example.net”"
        case .uriReference, .iriReference: "a URI or a relative reference such as “../a?b#c”"
        case .iri: "an IRI with its scheme such as “https://example.net/”"
        case .uriTemplate: "a URI template such as “/users/{name}”"
        case .uuid: "a UUID such as “123e4567-e89b-12d3-a456-426614174000”"
        case .jsonPointer: "a JSON pointer such as “/a/0”"
        case .relativeJSONPointer: "a relative JSON pointer such as “1/a”"
        case .regex: "a regular expression of ECMA-262 such as “^a+$”"
        }
    }

    private static func isUUID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : ASCII.isHexadecimal(byte)
            }
    }

    private static func isPointer(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first else { return true }
        guard first == UInt8(ascii: "/") else { return false }
        var before: UInt8 = 0
        for byte in text {
            if before == UInt8(ascii: "~"), byte != UInt8(ascii: "0"), byte != UInt8(ascii: "1") { return false }
            before = byte
        }
        return before != UInt8(ascii: "~")
    }

    private static func isRelativePointer(_ text: String) -> Bool {
        let digits = text.utf8.prefix(while: ASCII.isDigit)
        guard let first = digits.first, digits.count == 1 || first != UInt8(ascii: "0") else { return false }
        let rest = text.utf8[digits.endIndex...]
        return rest.elementsEqual("#".utf8) || isPointer(rest)
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
