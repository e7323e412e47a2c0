import CleatAPI
import CleatJSON
import CleatVarlink
import SystemPackage

extension CommandError {
    /// Describes a failed call to the service on this machine.
    init(_ error: VarlinkClientError, socket: String) {
        switch error.code {
        case .connect:
            let denied = error.errno == .permissionDenied || error.errno == .notPermitted
            self.init(
                status: denied ? .denied : .unavailable, layer: denied ? .authorise : .connect, code: "Connect",
                message: "the service cannot be reached at \(socket)" + (error.errno.map { ": \($0)" } ?? ""),
                remedy: denied
                    ? "ask to be made a member of the group `cleat`, or use sudo"
                    : "start cleatd, or name its socket with --socket or \(ServiceSocket.variable)")
        default:
            self.init(error)
        }
    }

    /// Describes a failed call to a service.
    init(_ error: VarlinkClientError) {
        if let remote = error.remote {
            self.init(remote)
            return
        }
        switch error.code {
        case .tooLarge:
            self.init(
                status: .invalid, layer: .validate, code: "TooLarge", message: "\(error)",
                remedy: "split the changes over several calls")
        case .protocolViolation:
            self.init(
                status: .failure, layer: .speak, code: "Protocol", message: "\(error)",
                remedy: "check that the socket is that of cleatd, and \(Self.otherVersion)")
        case .closed, .timedOut, .transport, .connect:
            self.init(
                status: .unavailable, layer: .speak, code: "Closed", message: "\(error)",
                remedy: "check that the service runs, then repeat the command; with --id a change is made only once")
        default:
            self.init(status: .failure, layer: .speak, code: "Protocol", message: "\(error)")
        }
    }

    /// Describes an error reply of the Varlink protocol.
    init(_ error: VarlinkError) {
        if let known = APIError(error) {
            self.init(known)
            return
        }
        let gap = VersionGap(error)
        self.init(
            status: .failure, layer: .speak, code: error.name, message: gap?.message ?? "the service replied \(error)",
            remedy: gap?.remedy, parameters: error.parameters)
    }

    /// The next step after an answer that this program does not understand.
    static let otherVersion = "compare `cleat --version` and `cleat status`: the service may be of another version"

    /// The code of an established connection that was lost.
    static let lostConnection = "Closed"

    /// Describes the loss of a connection to a remote board whose service had answered.
    init(lost failure: SSHFailure, access: RemoteAccess) {
        // The relay exits with 0 when the service closes the connection; any other status is that of ssh.
        if failure.step == .speak {
            self.init(
                status: .unavailable, layer: .speak, code: Self.lostConnection,
                message:
                    "the service on \(access.shown) closed the connection: it was restarted, or this command read too "
                    + "slowly",
                remedy: "run the command again")
        } else {
            self.init(
                status: .unavailable, layer: .connect, code: Self.lostConnection,
                message: "the connection to \(access.shown) was lost",
                remedy: "run the command again once the board answers; with --id a change is made only once")
        }
        if let reason = failure.reason { parameters["ssh"] = .string(reason) }
    }

    /// Describes the step at which the connection to a remote board failed.
    init(_ failure: SSHFailure, access: RemoteAccess) {
        let host = access.shown
        switch failure.step {
        case .lost: self.init(lost: failure, access: access)
        case .resolve:
            self.init(
                status: .unavailable, layer: .resolve, code: "Resolve", message: "\(host) has no address",
                remedy: "check the name, or give the address")
        case .connect:
            self.init(
                status: .unavailable, layer: .connect, code: "Connect",
                message: "ssh cannot connect to \(host)",
                remedy: "check that the board is on and that its ssh server listens on this port")
        case .identify:
            self.init(
                status: .denied, layer: .authenticate, code: "HostKey",
                message: "the host key of \(host) is unknown or has changed",
                remedy: "if that is expected, run `ssh \(host)` once and accept it")
        case .authenticate:
            self.init(
                status: .denied, layer: .authenticate, code: "Authenticate",
                message: "\(host) refused your key", remedy: "give it your key with `ssh-copy-id \(host)`")
        case .start(69):
            self.init(
                status: .unavailable, layer: .start, code: "Start",
                message: "`\(access.command)` on \(host) found no service", remedy: "start cleatd on the board")
        case .start(77):
            self.init(
                status: .denied, layer: .authorise, code: "Start",
                message: "`\(access.command)` on \(host) is not allowed to connect to the service",
                remedy: "ask to be made a member of the group `cleat` on the board")
        case .start(let status):
            self.init(
                status: .unavailable, layer: .start, code: "Start",
                message: "`\(access.command)` could not be started on \(host) (status \(status))",
                remedy: status == 127
                    ? "install cleatd on the board, or give its path with --remote-command"
                    : "try `ssh \(host) \(access.command)` by hand")
        case .speak:
            self.init(
                status: .unavailable, layer: .speak, code: "Speak",
                message: "the agent on \(host) closed the connection: it was restarted, or this client was too slow",
                remedy: "run the command again; if that does not help, make the login shell on the board print "
                    + "nothing without a terminal")
        }
        if let reason = failure.reason { parameters["ssh"] = .string(reason) }
    }
}
