package import SystemPackage

/// A Unix socket that another program may serve. unix(7)
package enum ServedSocket {
    /// The types of sockets.
    package enum Kind: Sendable {
        /// A stream of bytes.
        case stream
        /// A connection with packets in order.
        case packets
    }

    /// The states of a path.
    package enum State: Sendable {
        /// A program listens; also for a socket of another type, or one that may not be connected to.
        case served
        /// The program has ended without removing its socket.
        case abandoned
        /// There is no file.
        case absent
    }

    /// Returns the state of a path; only a refused connection shows that nothing listens.
    ///
    /// - Parameters:
    ///   - path: The path of the socket.
    ///   - kind: The type of the socket.
    /// - Returns: The state.
    /// - Throws: `Errno` if this process can have no more sockets.
    package static func state(of path: String, kind: Kind) throws(Errno) -> State {
        let probe = Descriptor(
            owning: try SocketCalls.unixSocket(nonblocking: true, kind: kind == .packets ? .packets : .stream))
        do throws(Errno) {
            try SocketCalls.connect(probe.rawValue, to: path)
            return .served
        } catch .connectionRefused {
            return .abandoned
        } catch .noSuchFileOrDirectory {
            return .absent
        } catch {
            return .served
        }
    }
}
