import CleatIO

/// Runs ssh, whose standard input and output are the connection to a far board's service.
final class SSHTunnel {
    let access: RemoteAccess
    private let program: PipedProgram
    private var isLeft = false
    /// True once the service has answered a call: a failure afterwards is the end of a connection, and not of an attempt.
    var hasAnswered = false

    /// Starts ssh.
    /// - Throws: a ``CommandError`` of the layer `start` where ssh itself cannot be run.
    init(_ access: RemoteAccess) throws(CommandError) {
        self.access = access
        do {
            program = try PipedProgram(access.arguments, passesOnComplaints: access.passesOnComplaints)
        } catch {
            throw CommandError(
                status: .unavailable, layer: .start, code: "Start",
                message: "`\(access.program.first ?? "ssh")` cannot be run: \(error)",
                remedy: "install the OpenSSH client, or name another program with --ssh or \(RemoteAccess.variable)")
        }
    }

    /// What the service's answers come from.
    var reading: Descriptor { program.output }

    /// What calls to the service are written to.
    var writing: Descriptor { program.input }

    /// Ends ssh where the service may have more to tell that nobody wants to hear.
    ///
    /// Closed pipes are not enough: ssh would wait for the far end, and the far end for the next event.
    func abandon() { program.terminate() }

    /// Ends ssh, and waits until it has ended.
    func leave() {
        guard !isLeft else { return }
        isLeft = true
        program.terminate()
        _ = program.finish()
    }

    /// Ends ssh after a failure and says at which step the way ended.
    ///
    /// Garbled is what holds something else than the protocol.
    func failure(isGarbled: Bool) -> CommandError {
        isLeft = true
        let (end, complaints) = program.finish()
        if isGarbled {
            // A shell that prints "command not found" to its standard output is told by its status.
            if case .exited(let status) = end, status == 126 || status == 127 {
                return CommandError(SSHFailure(end: end, complaints: complaints), access: access)
            }
            return CommandError(SSHFailure(end: .exited(0), complaints: complaints), access: access)
        }
        let failure = SSHFailure(end: end, complaints: complaints)
        return hasAnswered ? CommandError(lost: failure, access: access) : CommandError(failure, access: access)
    }
}
