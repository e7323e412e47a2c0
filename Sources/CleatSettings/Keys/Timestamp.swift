public import CleatJSON

/// An instant in the years 0000 to 9999, to the nanosecond, which is stored as RFC 3339: `2024-02-29T12:00:00.5Z`.
///
/// A text with an offset is read as the instant that it means, and every instant is written in UTC. A leap second is
/// read as the second after it, as POSIX counts.
public struct Timestamp: Hashable, Sendable, Comparable, Codable, CustomStringConvertible, SettingConvertible {
    /// The seconds from 1970-01-01T00:00:00Z to the last whole second, negative before it.
    public let seconds: Int64
    /// The nanoseconds after the whole second, 0 to 999,999,999.
    public let nanoseconds: Int

    private static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799
    private static let expectation =
        "a time of RFC 3339 such as “2024-02-29T12:00:00Z”, in the years 0000 to 9999 of UTC, to the nanosecond"

    /// Makes an instant; nil if it is not in the years 0000 to 9999, or if a second has not so many nanoseconds.
    ///
    /// - Parameters:
    ///   - seconds: the seconds from 1970-01-01T00:00:00Z to the last whole second.
    ///   - nanoseconds: the nanoseconds after the whole second.
    public init?(seconds: Int64, nanoseconds: Int = 0) {
        guard Self.range.contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else { return nil }
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Makes an instant from milliseconds since 1970; one outside of the years 0000 to 9999 is clamped.
    package init(clampingMilliseconds milliseconds: Int64) {
        let (first, last) = (Self.range.lowerBound * 1000, Self.range.upperBound * 1000 + 999)
        let inRange = min(max(milliseconds, first), last) - first
        seconds = inRange / 1000 + Self.range.lowerBound
        nanoseconds = Int(inRange % 1000) * 1_000_000
    }

    /// Reads a time of RFC 3339; nil if it is not valid, not in the years 0000 to 9999 of UTC, or has a part of a
    /// nanosecond.
    public init?(_ text: String) {
        guard CalendarText.isDateTime(text) else { return nil }
        let bytes = Array(text.utf8)
        func number(_ range: some Sequence<Int>) -> Int64 { range.reduce(0) { $0 * 10 + Int64(bytes[$1] - 48) } }
        let month = number(5..<7)
        // Days are counted from 0000-03-01 of an era that starts 400 years earlier, so that nothing is negative.
        let year = number(0..<4) + (month <= 2 ? 399 : 400)
        let yearDay = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + number(8..<10) - 1
        let day = year * 365 + year / 4 - year / 100 + year / 400 + yearDay
        var seconds = (day - Self.firstDay) * 86_400 + number(11..<13) * 3600 + number(14..<16) * 60
        seconds += number(17..<19) + Self.range.lowerBound
        let fraction = bytes[19...].dropFirst(bytes[19] == UInt8(ascii: ".") ? 1 : 0).prefix(while: ASCII.isDigit)
        guard fraction.dropFirst(9).allSatisfy({ $0 == UInt8(ascii: "0") }) else { return nil }
        let digits = fraction.prefix(9) + Array(repeating: UInt8(ascii: "0"), count: max(9 - fraction.count, 0))
        if bytes[bytes.count - 1] | 0x20 != UInt8(ascii: "z") {
            let sign = bytes.count - 6
            let offset = number([sign + 1, sign + 2]) * 3600 + number([sign + 4, sign + 5]) * 60
            seconds += bytes[sign] == UInt8(ascii: "-") ? offset : -offset
        }
        self.init(seconds: seconds, nanoseconds: digits.reduce(0) { $0 * 10 + Int($1 - 48) })
    }

    /// The number of 0000-01-01 in the count of days from 0000-03-01 of the era before.
    private static let firstDay: Int64 = 146_097 - 60

    /// The instant in UTC, with as many digits of the fraction as it has.
    public var description: String {
        let (days, second) = (seconds - Self.range.lowerBound).quotientAndRemainder(dividingBy: 86_400)
        let (era, eraDay) = (days + Self.firstDay).quotientAndRemainder(dividingBy: 146_097)
        let eraYear = (eraDay - eraDay / 1460 + eraDay / 36_524 - eraDay / 146_096) / 365
        let yearDay = eraDay - (eraYear * 365 + eraYear / 4 - eraYear / 100)
        let part = (yearDay * 5 + 2) / 153
        let day = yearDay - (part * 153 + 2) / 5 + 1
        let year = (era - 1) * 400 + eraYear + (part < 10 ? 0 : 1)
        func text(_ value: Int64, _ width: Int = 2) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
        }
        let time = "\(text(second / 3600)):\(text(second / 60 % 60)):\(text(second % 60))"
        var fraction = nanoseconds == 0 ? "" : "." + text(Int64(nanoseconds), 9)
        while fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
        return "\(text(year, 4))-\(text(part < 10 ? part + 3 : part - 9))-\(text(day))T\(time)\(fraction)Z"
    }

    /// Orders instants by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }

    /// A text of RFC 3339.
    public static var settingSchema: JSONObject {
        ["type": "string", "format": "date-time", "examples": ["2024-02-29T12:00:00Z"]]
    }

    /// Reads the instant from a text of RFC 3339.
    public init(from decoder: any Decoder) throws {
        self = try JSONValue(from: decoder).text(as: Self.expectation) { Timestamp($0) }
    }

    /// Writes the instant as a text of RFC 3339 in UTC.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
