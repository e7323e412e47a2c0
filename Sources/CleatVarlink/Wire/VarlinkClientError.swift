package import SystemPackage

/// A failed call of a client.
package struct VarlinkClientError: Error, Sendable, CustomStringConvertible {
    /// The layer at which the call failed.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// No service could be reached; ``VarlinkClientError/errno`` holds the reason.
        case connect
        /// The peer closed the connection before the reply was complete.
        case closed
        /// The time limit was exceeded.
        case timedOut
        /// The peer sent something that is not Varlink.
        case protocolViolation
        /// The service answered with an error; it is in ``VarlinkClientError/remote``.
        case remote
        /// The call exceeds the maximum length of a message; nothing was sent.
        case tooLarge
        /// Another call is under way on this connection; nothing was sent.
        case busy
        /// Reading or writing failed; ``VarlinkClientError/errno`` holds the reason.
        case transport

        /// The code's name.
        package var description: String { rawValue }
    }

    /// The layer at which the call failed.
    package let code: Code
    /// The object of the failure: a path, a method, or the peer's mistake.
    package let subject: String
    /// The error of the system call, if one failed.
    package let errno: Errno?
    /// The service's error where the code is `remote`.
    package let remote: VarlinkError?

    /// Creates an error.
    package init(_ code: Code, _ subject: String, errno: Errno? = nil) {
        self.code = code
        self.subject = subject
        self.errno = errno
        remote = nil
    }

    /// Creates the error for an error reply of the service.
    package init(remote: VarlinkError) {
        code = .remote
        subject = remote.name
        errno = nil
        self.remote = remote
    }

    /// The failure and, for some codes, the remedy.
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
        case .transport: "the connection failed during \(subject)\(reason)"
        }
    }
}
