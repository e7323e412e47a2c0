/// A random id, for a change, a store, or a run of the service.
package enum RandomID {
    /// Returns 128 random bits as 32 lower-case hexadecimal digits (`getrandom(2)`).
    package static func make() -> String {
        let digits = String(UInt128.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 32 - digits.utf8.count) + digits
    }
}
