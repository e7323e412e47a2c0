/// Finds out at which step the way through ssh ended, from its exit status and from what it said.
struct SSHFailure: Hashable, Sendable {
    /// The step that failed.
    enum Step: Hashable, Sendable {
        /// The host has no address.
        case resolve
        /// The host's ssh port could not be reached.
        case connect
        /// The connection stood, and was lost.
        case lost
        /// The board's host key is not known here, or is another one.
        case identify
        /// The board did not accept who the caller is.
        case authenticate
        /// The relay did not start, or had no service to speak to.
        case start(status: Int32)
        /// The relay started, but what came was not the protocol.
        case speak
    }

    /// How ssh ended.
    enum End: Hashable, Sendable {
        /// By itself.
        case exited(Int32)
        /// By a signal.
        case signalled(Int32)
    }

    let step: Step
    /// The line of ssh's that says most.
    let reason: String?

    /// Classifies an end.
    ///
    /// - Parameters:
    ///   - end: how ssh ended.
    ///   - complaints: the last of what it wrote to its standard error stream.
    init(end: End, complaints: String) {
        let lines = complaints.split(whereSeparator: \.isNewline).map(String.init)
        if case .exited(let status) = end, status != 255 {
            // Below 255 it is the status of what ran on the board: 126 and 127 are the shell's.
            step = status == 0 ? .speak : .start(status: status)
            reason = status == 0 ? nil : lines.last
            return
        }
        for (step, phrases) in Self.phrases {
            if let line = lines.last(where: { line in
                let line = line.lowercased()
                return phrases.contains { Self.holds(line, $0) }
            }) {
                self.step = step
                reason = line
                return
            }
        }
        step = .connect
        reason = lines.last
    }

    /// Tells whether a line holds a phrase, byte for byte: `String`'s own search brings the parser of regular
    /// expressions into the program, more than a megabyte.
    private static func holds(_ line: String, _ phrase: String) -> Bool {
        var rest = line.utf8[...]
        while rest.count >= phrase.utf8.count {
            if rest.starts(with: phrase.utf8) { return true }
            rest.removeFirst()
        }
        return false
    }

    /// What OpenSSH says, in the order in which it is looked for: what is said first is said most exactly.
    private static let phrases: [(Step, [String])] = [
        (
            .resolve,
            [
                "could not resolve hostname", "name or service not known", "temporary failure in name resolution",
                "no address associated", "nodename nor servname",
            ]
        ),
        (
            .identify,
            ["host key verification failed", "remote host identification has changed", "no matching host key type"]
        ),
        (
            .authenticate,
            [
                "permission denied", "too many authentication failures", "no supported authentication methods",
                "authentication failed", "no route to authenticate",
            ]
        ),
        (.lost, ["timeout, server ", "closed by remote host.", "client_loop: "]),
        (
            .connect,
            [
                "connection refused", "connection timed out", "operation timed out", "no route to host",
                "network is unreachable", "host is down", "connection reset", "connection closed",
                "kex_exchange_identification", "banner exchange", "broken pipe",
            ]
        ),
    ]
}
