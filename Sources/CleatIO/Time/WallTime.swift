/// A wall-clock time in UTC, to the millisecond.
///
/// It is never used for ordering: many boards boot in 1970.
package struct WallTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds left out.
    package var milliseconds: Int64

    /// Makes a time from milliseconds since 1970.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Reads the clock. `clock_gettime(2)`, CLOCK_REALTIME
    package static func now() -> WallTime { WallTime(milliseconds: Kernel.wallMilliseconds) }

    /// True if the kernel's clock is synchronised. `adjtimex(2)`
    package static var clockSynchronised: Bool { Kernel.clockSynchronised }

    /// Orders times.
    package static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }

    /// The time as `2026-03-01T12:30:00.250Z` (RFC 3339).
    ///
    /// Times outside of the years 0000 to 9999 are clamped.
    package var description: String {
        let (first, last): (Int64, Int64) = (-62_167_219_200_000, 253_402_300_799_999)
        let time = min(max(milliseconds, first), last)
        let day = time >= 0 ? time / 86_400_000 : (time - 86_399_999) / 86_400_000
        let inDay = time - day * 86_400_000
        let (year, month, dayOfMonth) = Self.civil(day)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func put(_ value: Int64, _ width: Int) {
            var divisor: Int64 = 1
            for _ in 1..<width { divisor *= 10 }
            while divisor > 0 {
                text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor /= 10
            }
        }
        put(year, 4)
        text.append(UInt8(ascii: "-"))
        put(month, 2)
        text.append(UInt8(ascii: "-"))
        put(dayOfMonth, 2)
        text.append(UInt8(ascii: "T"))
        put(inDay / 3_600_000, 2)
        text.append(UInt8(ascii: ":"))
        put(inDay / 60_000 % 60, 2)
        text.append(UInt8(ascii: ":"))
        put(inDay / 1000 % 60, 2)
        text.append(UInt8(ascii: "."))
        put(inDay % 1000, 3)
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// Parses an RFC 3339 time, with or without a fraction, in UTC or with an offset.
    ///
    /// Returns nil if the text is not valid.
    package init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        func digits(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            var value: Int64 = 0
            for byte in rest.prefix(count) {
                guard byte >= 48, byte <= 57 else { return nil }
                value = value * 10 + Int64(byte - 48)
            }
            rest = rest.dropFirst(count)
            return value
        }
        func skip(_ allowed: String) -> Bool {
            guard let byte = rest.first, allowed.utf8.contains(byte) else { return false }
            rest = rest.dropFirst()
            return true
        }
        guard text.utf8.count <= 64, let year = digits(4), skip("-"), let month = digits(2), skip("-"),
            let day = digits(2), skip("Tt "), let hour = digits(2), skip(":"), let minute = digits(2), skip(":"),
            let second = digits(2), (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var fraction: Int64 = 0
        if skip(".") {
            let count = rest.prefix { $0 >= 48 && $0 <= 57 }.count
            guard count > 0 else { return nil }
            let kept = min(count, 3)
            fraction = digits(kept) ?? 0
            for _ in kept..<3 { fraction *= 10 }
            rest = rest.dropFirst(count - kept)
        }
        var offset: Int64 = 0
        if !skip("Zz") {
            guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
            rest = rest.dropFirst()
            guard let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60 else {
                return nil
            }
            offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -60 : 60)
        }
        guard rest.isEmpty else { return nil }
        // A leap second is counted as the second after it.
        let seconds = Self.day(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        milliseconds = seconds * 1000 + fraction
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days from 1970-01-01 to a date, counted in eras of 400 years that begin in March.
    private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
