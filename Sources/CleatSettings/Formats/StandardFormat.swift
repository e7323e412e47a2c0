/// The formats of JSON Schema 2020-12 (validation, section 7.3) that ``SettingFormat`` lacks or defines otherwise.
enum StandardFormat: String, Sendable, CaseIterable {
    case dateTime = "date-time"
    case date
    case time
    /// A duration of ISO 8601 as in RFC 3339, appendix A: `P1DT12H`.
    case duration
    case email
    /// A host name of RFC 1123, at most 253 bytes.
    case hostname
    case uriReference = "uri-reference"
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
        case .email: MailText.isAddress(text)
        case .hostname: DomainName.isValid(text, maximumBytes: 253)
        case .uriReference: URIText.isReference(text)
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
        case .email: "a mail address such as “someone@example.net”"
        case .hostname: "a host name such as “www.example.net”"
        case .uriReference: "a URI or a relative reference such as “../a?b#c”"
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
