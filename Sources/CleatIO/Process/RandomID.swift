/// A random id, for a change, a store, or a run of the service.
package enum RandomID {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns 128 random bits as 32 lower-case hexadecimal digits (`getrandom(2)`).
    package static func make() -> String {
        var id: [UInt8] = []
        id.reserveCapacity(32)
        for var bits in [UInt64.random(in: .min ... .max), .random(in: .min ... .max)] {
            for _ in 0..<16 {
                bits = bits << 4 | bits >> 60
                id.append(Self.digits[Int(bits & 15)])
            }
        }
        return String(decoding: id, as: UTF8.self)
    }
}
