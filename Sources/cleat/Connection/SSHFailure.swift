import CleatIO

/// Finds the step at which a connection through ssh failed, from the exit status and the error output.
struct SSHFailure: Hashable, Sendable {
    /// The step that failed.
    enum Step: Hashable, Sendable {
        /// The host has no address.
        case resolve
        /// The host's ssh port could not be reached.
        case connect
        /// The connection was established, and was lost.
        case lost
        /// The board's host key is unknown here, or has changed.
        case identify
        /// The board refused to authenticate the caller.
        case authenticate
        /// The relay did not start, or found no service.
        case start(status: Int32)
        /// The relay started, but its output was not the protocol.
        case speak
    }

    let step: Step
    /// The most relevant line of ssh's error output.
    let reason: String?

    /// Classifies the end of ssh.
    ///
    /// - Parameters:
    ///   - end: the end of the process.
    ///   - errors: the last part of its standard error output.
    init(end: ChildResult.Status, errors: String) {
        let lines = errors.split(whereSeparator: \.isNewline).map(String.init)
        if case .exited(let status) = end, status != 255 {
            // A status other than 255 is that of the command on the board: 126 and 127 are the shell's.
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

    /// Returns true if a line contains a phrase, compared byte by byte: `String`'s own search would link the parser of
    /// regular expressions, more than a megabyte.
    private static func holds(_ line: String, _ phrase: String) -> Bool {
        var rest = line.utf8[...]
        while rest.count >= phrase.utf8.count {
            if rest.starts(with: phrase.utf8) { return true }
            rest.removeFirst()
        }
        return false
    }

    /// The messages of OpenSSH in the order in which they are searched for, the most specific first.
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
