/// A sentence of NMEA 0183 (IEC 61162-1): `$GPRMC,…*5A`, of any talker.
struct NMEASentence: Equatable {
    /// The longest sentence in bytes, without the end of the line; the standard allows 80, and receivers exceed it.
    static let limit = 120

    /// The kind: the three letters after the talker, such as `RMC`.
    let kind: String
    /// The fields after the kind.
    let fields: [String]

    /// Parses a line without its end; nil if it is no sentence, or if its checksum is missing or wrong.
    init?(_ line: some Collection<UInt8>) {
        guard line.count <= Self.limit, line.first == UInt8(ascii: "$") else { return nil }
        let parts = line.dropFirst().split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 2, parts[0].allSatisfy({ (32...126).contains($0) }),
            let sum = UInt8(String(decoding: parts[1], as: UTF8.self), radix: 16), sum == parts[0].reduce(0, ^)
        else { return nil }
        let fields = parts[0].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard let address = fields.first, address.count == 5, address.first != UInt8(ascii: "P") else { return nil }
        kind = String(decoding: address.dropFirst(2), as: UTF8.self)
        self.fields = fields.dropFirst().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a field; nil if it is missing or empty.
    subscript(index: Int) -> String? {
        guard fields.indices.contains(index), !fields[index].isEmpty else { return nil }
        return fields[index]
    }

    /// Returns a field as a number; nil if it is none.
    func number(_ index: Int) -> Double? {
        // Double reads more than the digits, the point and the sign that a sentence may have.
        guard let text = self[index], text.utf8.allSatisfy({ (0x2B...0x39).contains($0) }) else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns an angle of two fields, as in `5231.2000,N`: degrees, minutes with two digits before the point, and the
    /// half of the globe.
    func angle(_ index: Int, negative: String) -> Double? {
        guard let value = number(index), let half = self[index + 1], value >= 0 else { return nil }
        let degrees = (value / 100).rounded(.towardZero)
        let minutes = value - degrees * 100
        guard minutes < 60 else { return nil }
        return (degrees + minutes / 60) * (half == negative ? -1 : 1)
    }
}
