/// How a child process ended, and what it printed.
package struct ChildResult: Sendable, Hashable {
    /// The way of its end.
    package enum Status: Sendable, Hashable, CustomStringConvertible {
        /// It exited with this code.
        case exited(Int32)
        /// This signal ended it.
        case signalled(Int32)

        /// Whether it exited with 0.
        package var isSuccess: Bool { self == .exited(0) }

        /// The status in words.
        package var description: String {
            switch self {
            case .exited(let code): "exited with \(code)"
            case .signalled(let number): "was ended by signal \(number)"
            }
        }
    }

    /// The way of its end.
    package var status: Status
    /// Whether it was ended because its time was over.
    package var timedOut: Bool
    /// The beginning of what it printed, standard output and error merged.
    package var output: [UInt8]
    /// How many bytes it printed in all.
    package var outputBytesTotal: Int
    /// How long it ran.
    package var duration: Duration

    /// Whether it exited with 0 within its time.
    package var isSuccess: Bool { status.isSuccess && !timedOut }

    /// The kept output as text; what is not UTF-8 is replaced.
    package var outputText: String { String(decoding: output, as: UTF8.self) }
}
