/// The exit status and the output of a child process.
package struct ChildResult: Sendable, Hashable {
    /// The exit status of the process.
    package enum Status: Sendable, Hashable, CustomStringConvertible {
        /// The process exited with this code.
        case exited(Int32)
        /// The process was killed by this signal.
        case signalled(Int32)

        /// True if the process exited with 0.
        package var isSuccess: Bool { self == .exited(0) }

        /// The status in words.
        package var description: String {
            switch self {
            case .exited(let code): "exited with \(code)"
            case .signalled(let number): "was ended by signal \(number)"
            }
        }
    }

    /// The exit status.
    package var status: Status
    /// True if the process was killed because it exceeded its time limit.
    package var timedOut: Bool
    /// The kept part of the output, standard output and error merged.
    package var output: [UInt8]
    /// The total number of bytes that the process printed.
    package var outputBytesTotal: Int
    /// The run time of the process.
    package var duration: Duration

    /// True if the process exited with 0 within its time limit.
    package var isSuccess: Bool { status.isSuccess && !timedOut }

    /// The kept output as text; invalid UTF-8 is replaced.
    package var outputText: String { String(decoding: output, as: UTF8.self) }
}
