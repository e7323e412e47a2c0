public import CleatJSON
public import CleatSettings
public import FoundationEssentials

// `Date`, `Data` and `URL` as values of keys: `SettingKey<Date?>("lamp/serviced")`.

extension Date {
    /// Makes a date from an instant, to the precision of a date: about 0.1 µs at present, 8 µs in the year 9999.
    public init(_ timestamp: Timestamp) {
        let whole = timestamp.seconds - Int64(Date.timeIntervalBetween1970AndReferenceDate)
        self.init(timeIntervalSinceReferenceDate: Double(whole) + Double(timestamp.nanoseconds) / 1e9)
    }
}

extension Timestamp {
    /// Makes an instant from a date, rounded to the nanosecond; nil if it is not in the years 0000 to 9999.
    public init?(_ date: Date) {
        let time = date.timeIntervalSinceReferenceDate
        var nanoseconds = ((time - time.rounded(.down)) * 1e9).rounded()
        var whole = time.rounded(.down)
        if nanoseconds == 1e9 { (whole, nanoseconds) = (whole + 1, 0) }
        guard let seconds = Int64(exactly: whole + Date.timeIntervalBetween1970AndReferenceDate),
            let part = Int(exactly: nanoseconds)
        else { return nil }
        self.init(seconds: seconds, nanoseconds: part)
    }
}

extension Date: SettingConvertible {
    /// A text of RFC 3339, as of ``/CleatSettings/Timestamp``.
    public static var settingSchema: JSONObject { Timestamp.settingSchema }

    /// Reads a text of RFC 3339.
    public init(settingValue: JSONValue) throws {
        self.init(try settingValue.decode(Timestamp.self))
    }

    /// Writes a text of RFC 3339 in UTC; a date outside of the years 0000 to 9999 cannot be stored.
    public func settingValue() throws -> JSONValue {
        guard let timestamp = Timestamp(self) else {
            throw SettingFormError(description: "a date that is not in the years 0000 to 9999 of UTC cannot be stored")
        }
        return .string(timestamp.description)
    }
}

extension Data: SettingConvertible {
    /// A text in base64.
    public static var settingSchema: JSONObject { [UInt8].settingSchema }

    /// Reads a text in base64 (RFC 4648, section 4).
    public init(settingValue: JSONValue) throws {
        self.init(try [UInt8](settingValue: settingValue))
    }

    /// Writes a text in base64.
    public func settingValue() -> JSONValue { [UInt8](self).settingValue() }
}

extension URL: SettingConvertible {
    /// A URI with its scheme.
    public static var settingSchema: JSONObject {
        ["type": "string", "format": "uri", "examples": ["https://example.net/"]]
    }

    /// Reads a URI with its scheme (RFC 3986); characters that it must escape are not accepted unescaped.
    public init(settingValue: JSONValue) throws {
        self = try settingValue.text(as: SettingFormat.uri.expectation) { text in
            SettingFormat.uri.accepts(text) ? URL(string: text) : nil
        }
    }

    /// Writes the absolute URI; a URL without a scheme cannot be stored.
    public func settingValue() throws -> JSONValue {
        guard SettingFormat.uri.accepts(absoluteString) else {
            throw SettingFormError(description: "the URL \(absoluteString) cannot be stored; it needs a scheme")
        }
        return .string(absoluteString)
    }
}
