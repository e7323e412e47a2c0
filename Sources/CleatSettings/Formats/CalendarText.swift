/// Checks texts against the grammars of RFC 3339: dates, times, durations.
enum CalendarText {
    static func isDateTime(_ text: String) -> Bool {
        guard text.utf8.count > 11 else { return false }
        let middle = text.utf8.index(text.utf8.startIndex, offsetBy: 10)
        return text.utf8[middle] | 0x20 == UInt8(ascii: "t") && isDate(text.utf8[..<middle])
            && isTime(text.utf8[text.utf8.index(after: middle)...])
    }

    static func isDate(_ text: Substring.UTF8View) -> Bool {
        let bytes = Array(text.prefix(11))
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            (1...12).contains(month), day >= 1
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return day <= days[month - 1]
    }

    static func isTime(_ text: Substring.UTF8View) -> Bool {
        var rest = Array(text.prefix(256))[...]
        guard text.count < 256, let hour = take(&rest), take(":", &rest), let minute = take(&rest), take(":", &rest),
            let second = take(&rest), hour <= 23, minute <= 59, second <= 60
        else { return false }
        if take(".", &rest) {
            let digits = rest.prefix(while: ASCII.isDigit)
            if digits.isEmpty { return false }
            rest = rest[digits.endIndex...]
        }
        var offset = 0
        guard let sign = rest.popFirst() else { return false }
        if sign | 0x20 != UInt8(ascii: "z") {
            guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = take(&rest), take(":", &rest),
                let minutes = take(&rest), hours <= 23, minutes <= 59
            else { return false }
            offset = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
        }
        guard rest.isEmpty else { return false }
        // A leap second is the last second of a day in UTC.
        return second < 60 || (hour * 60 + minute - offset + 2880) % 1440 == 1439
    }

    /// Returns true if a text is a duration.
    ///
    /// It has years, months and days, then hours, minutes and seconds, without gaps between the units; or weeks alone.
    static func isDuration(_ text: String) -> Bool {
        var rest = Array(text.utf8.prefix(256))[...]
        guard text.utf8.count < 256, take("P", &rest) else { return false }
        if rest.last == UInt8(ascii: "W") { return rest.count > 1 && rest.dropLast().allSatisfy(ASCII.isDigit) }
        guard let dates = units("YMD", &rest) else { return false }
        guard take("T", &rest) else { return rest.isEmpty && dates > 0 }
        guard let times = units("HMS", &rest) else { return false }
        return rest.isEmpty && times > 0
    }

    /// Reads numbers with units and returns their count; nil if a unit is unknown, out of order or after a gap.
    private static func units(_ names: String, _ rest: inout ArraySlice<UInt8>) -> Int? {
        var found = 0
        var last: Int?
        while let first = rest.first, ASCII.isDigit(first) {
            rest = rest.drop(while: ASCII.isDigit)
            guard let unit = rest.popFirst(), let index = Array(names.utf8).firstIndex(of: unit) else { return nil }
            if let last, index != last + 1 { return nil }
            last = index
            found += 1
        }
        return found
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy(ASCII.isDigit) ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
    }

    private static func take(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= 2, let value = number(rest.prefix(2)) else { return nil }
        rest = rest.dropFirst(2)
        return value
    }

    private static func take(_ character: Character, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == character.asciiValue else { return false }
        rest = rest.dropFirst()
        return true
    }
}
