/// Makes positions of the sentences RMC, GGA and GSA of a receiver.
///
/// The sentences of one instant name the same time of day and complete each other, in any order. A position is reported once
/// for an instant, when both RMC and GGA have come, if the receiver sends both.
struct NMEADecoder {
    /// The number of sentences after which one of the other kind is no longer waited for.
    private static let patience = 10

    /// The error at 95 % in metres for a dilution of 1: twice the usual error of a range.
    private static let errorOfDilution = 10.0

    private var timeOfDay = ""
    private var altitude: Double?
    private var dilution: Double?
    private var motion: (date: String?, speed: Double?, course: Double?)
    private var isThreeDimensional = true
    /// The kinds that have come for the instant.
    private var seen: Set<String> = []
    /// The numbers of sentences since the last one of the other kind.
    private var without = ["RMC": patience, "GGA": patience]

    /// Takes a sentence; returns a position if it reports one.
    mutating func take(_ sentence: NMEASentence) -> Fix? {
        switch sentence.kind {
        case "RMC":
            start(sentence)
            // A: valid; V: a warning of the receiver. The mode is E for an estimate, M for one entered by hand, S for a
            // simulated one; older receivers have none.
            guard sentence[1] == "A", ["A", "D", "F", "P", "R", nil].contains(sentence[11]) else { return nil }
            motion = (sentence[8], sentence.number(6).map { $0 * 1_852 / 3_600 }, sentence.number(7))
            return fix(sentence, at: 2)
        case "GGA":
            start(sentence)
            // 0: none; 6: estimated by the receiver alone; 7 and 8: entered by hand, simulated.
            guard let quality = sentence.number(5), (1...5).contains(quality) else { return nil }
            altitude = sentence[9] == "M" ? sentence.number(8) : nil
            dilution = sentence.number(7)
            return fix(sentence, at: 1)
        case "GSA":
            isThreeDimensional = sentence[1] == "3"
            return nil
        default: return nil
        }
    }

    private mutating func start(_ sentence: NMEASentence) {
        let time = sentence[0] ?? ""
        guard time != timeOfDay else { return }
        (timeOfDay, altitude, dilution, motion, seen) = (time, nil, nil, (nil, nil, nil), [])
    }

    private mutating func fix(_ sentence: NMEASentence, at index: Int) -> Fix? {
        guard let latitude = sentence.angle(index, negative: "S"),
            let longitude = sentence.angle(index + 2, negative: "W"),
            var fix = Fix(latitude: latitude, longitude: longitude)
        else { return nil }
        let other = sentence.kind == "RMC" ? "GGA" : "RMC"
        seen.insert(sentence.kind)
        without[sentence.kind] = 0
        without[other, default: 0] += 1
        guard seen.contains(other) || without[other, default: 0] > Self.patience else { return nil }
        fix.altitude = isThreeDimensional ? altitude : nil
        fix.error = dilution.flatMap { $0 > 0 ? $0 * Self.errorOfDilution : nil }
        (fix.speed, fix.course) = (motion.speed, motion.course)
        fix.setTime(Self.time(motion.date, timeOfDay))
        return fix
    }

    /// Returns `ddmmyy` and `hhmmss.ss` as RFC 3339.
    private static func time(_ date: String?, _ time: String) -> String? {
        guard let date, date.utf8.count == 6, time.utf8.count >= 6 else { return nil }
        func pair(_ text: String, _ index: Int) -> Substring { text.dropFirst(index * 2).prefix(2) }
        // 80 to 99 are the years of receivers that have lost their week numbers.
        let parts = [
            pair(date, 2) < "80" ? "20" : "19", pair(date, 2), "-", pair(date, 1), "-", pair(date, 0), "T",
            pair(time, 0), ":", pair(time, 1), ":",
            pair(time, 2), "Z",
        ]
        return parts.joined()
    }
}
