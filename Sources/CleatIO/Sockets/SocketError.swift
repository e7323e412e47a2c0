package import SystemPackage

/// The error of a Unix socket that could not be bound, reached or opened.
package struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Code: Sendable, Hashable {
        /// The path is empty or holds a NUL.
        case invalidPath
        /// The path is longer than a socket address can hold.
        case pathTooLong
        /// Another process listens there.
        case addressInUse
        /// The path names something that is not a socket.
        case notASocket
        /// The socket or its directory does not exist.
        case noDirectory
        /// No process listens there.
        case notReachable
        /// The permissions do not allow it.
        case denied
        /// Any other failure; see the underlying error.
        case failed
    }

    /// The kind of failure.
    package let code: Code
    /// The socket's path.
    package let path: String
    /// The error of the failed system call; nil if none failed.
    package let underlying: Errno?

    /// Makes an error.
    package init(_ code: Code, path: String, underlying: Errno? = nil) {
        self.code = code
        self.path = path
        self.underlying = underlying
    }

    init(_ error: Errno, path: String) {
        let code: Code =
            switch error {
            case .addressInUse: .addressInUse
            case .noSuchFileOrDirectory, .notDirectory: .noDirectory
            case .permissionDenied, .notPermitted, .readOnlyFileSystem: .denied
            case .connectionRefused: .notReachable
            default: .failed
            }
        self.init(code, path: path, underlying: error)
    }

    /// One sentence with the path and the remedy.
    package var description: String {
        switch code {
        case .invalidPath: "the socket path \"\(path)\" is empty or holds a NUL: name another"
        case .pathTooLong:
            "the socket path \(path) has \(path.utf8.count) bytes, more than the \(UnixAddress.pathLimit) "
                + "that a Unix socket can have: choose a shorter directory"
        case .addressInUse: "another process listens on \(path): stop it, or choose another socket"
        case .notASocket: "\(path) is not a socket and is not changed: move it away, or choose another socket"
        case .noDirectory:
            "no socket at \(path), or its directory is missing: create the directory, or start the service"
        case .notReachable: "no service listens on \(path): start the service"
        case .denied: "no permission for the socket \(path): \(underlying.map { "\($0)" } ?? "denied")"
        case .failed: "the socket \(path) failed: \(underlying.map { "\($0)" } ?? "unknown error")"
        }
    }
}
