package import SystemPackage

/// Says why a call from a client did not bring a reply.
package struct VarlinkClientError: Error, Sendable, CustomStringConvertible {
    /// At which layer the call failed.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case connect, closed, timedOut, protocolViolation, remote, tooLarge, busy, transport
        }
        private let kind: Kind

        /// Nobody could be reached; ``VarlinkClientError/errno`` says why.
        package static let connect = Code(kind: .connect)
        /// The peer closed the connection before the reply was complete.
        package static let closed = Code(kind: .closed)
        /// The time limit passed.
        package static let timedOut = Code(kind: .timedOut)
        /// The peer sent something that is not Varlink.
        package static let protocolViolation = Code(kind: .protocolViolation)
        /// The service answered with an error; it is in ``VarlinkClientError/remote``.
        package static let remote = Code(kind: .remote)
        /// The call is longer than a message may be; nothing was sent.
        package static let tooLarge = Code(kind: .tooLarge)
        /// Another call is under way on this connection; nothing was sent.
        package static let busy = Code(kind: .busy)
        /// Reading or writing failed; ``VarlinkClientError/errno`` says why.
        package static let transport = Code(kind: .transport)

        /// The code's name.
        package var description: String { kind.rawValue }
    }

    /// At which layer the call failed.
    package let code: Code
    /// What failed: a path, or what the peer sent.
    package let subject: String
    /// The error of the system call, if one failed.
    package let errno: Errno?
    /// The service's error where the code is `remote`.
    package let remote: VarlinkError?

    /// Makes an error.
    package init(_ code: Code, _ subject: String, errno: Errno? = nil) {
        self.code = code
        self.subject = subject
        self.errno = errno
        remote = nil
    }

    /// Makes the error that carries what a service answered.
    package init(remote: VarlinkError) {
        code = .remote
        subject = remote.name
        errno = nil
        self.remote = remote
    }

    /// Says what failed and what to do next.
    package var description: String {
        let reason = errno.map { ": \($0)" } ?? ""
        return switch code {
        case .connect: "cannot connect to \(subject)\(reason)"
        case .closed: "the service closed the connection before it answered \(subject): it may have been restarted"
        case .timedOut: "no answer to \(subject) within the time limit"
        case .protocolViolation: "the other end does not speak Varlink: \(subject)"
        case .remote: remote.map { "\($0)" } ?? subject
        case .tooLarge: "the call \(subject) is longer than a message may be: split it"
        case .busy: "\(subject) has to wait for the call that is under way: use a connection for each"
        default: "the connection failed during \(subject)\(reason)"
        }
    }
}
