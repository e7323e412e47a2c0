import CleatIO

/// Runs ssh, whose standard input and output are the connection to a remote board's service.
final class SSHTunnel {
    let access: RemoteAccess
    private let program: PipedProgram
    private var isLeft = false
    /// True once the service has answered a call: a later failure is a lost connection, not a failed attempt to
    /// connect.
    var hasAnswered = false

    /// Starts ssh.
    /// - Throws: a ``CommandError`` of the layer `start` if ssh itself cannot be run.
    init(_ access: RemoteAccess) throws(CommandError) {
        self.access = access
        do {
            program = try PipedProgram(access.arguments, showsErrors: access.showsErrors)
        } catch {
            throw CommandError(
                status: .unavailable, layer: .start, code: "Start",
                message: "`\(access.program.first ?? "ssh")` cannot be run: \(error)",
                remedy: "install the OpenSSH client, or name another program with --ssh or \(RemoteAccess.variable)")
        }
    }

    /// The descriptor that the service's replies are read from.
    var reading: Descriptor { program.output }

    /// The descriptor that calls to the service are written to.
    var writing: Descriptor { program.input }

    /// Sends SIGTERM to ssh because the remaining replies of the service are not wanted.
    ///
    /// Closing the pipes is not enough: ssh would wait for the remote end, and the remote end for the next event.
    func abandon() { program.terminate() }

    /// Sends SIGTERM to ssh, and waits until it has ended.
    func leave() {
        guard !isLeft else { return }
        isLeft = true
        program.terminate()
        _ = program.finish()
    }

    /// Ends ssh after a failure, and returns the error for the step at which the connection failed.
    ///
    /// With `isGarbled`, the output was not the protocol.
    func failure(isGarbled: Bool) -> CommandError {
        isLeft = true
        let (end, errors) = program.finish()
        if isGarbled {
            // A shell that prints "command not found" to its standard output is recognised by its exit status.
            if case .exited(let status) = end, status == 126 || status == 127 {
                return CommandError(SSHFailure(end: end, errors: errors), access: access)
            }
            return CommandError(SSHFailure(end: .exited(0), errors: errors), access: access)
        }
        let failure = SSHFailure(end: end, errors: errors)
        return hasAnswered ? CommandError(lost: failure, access: access) : CommandError(failure, access: access)
    }
}
