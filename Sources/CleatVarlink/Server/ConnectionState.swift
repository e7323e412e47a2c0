/// The state of a connection: the call that it serves, or the reason why it ended.
///
/// ```
/// idle -> serving(serial) -> idle …      any -> ended(reason)
/// ```
struct ConnectionState: Sendable {
    enum Phase: Hashable {
        case idle
        case serving(UInt64)
        case ended(VarlinkDisconnection)
    }

    /// The permission of a call to send a reply.
    enum Sending: Hashable {
        case allowed, callEnded, disconnected
    }

    private(set) var phase = Phase.idle
    private var calls: UInt64 = 0

    /// Starts a call, and returns its serial number; nil if a call is served already, or the connection has ended.
    mutating func begin() -> UInt64? {
        guard phase == .idle else { return nil }
        calls &+= 1
        phase = .serving(calls)
        return calls
    }

    /// Ends a call; false if the connection has ended meanwhile.
    mutating func finish(_ serial: UInt64) -> Bool {
        guard phase == .serving(serial) else { return false }
        phase = .idle
        return true
    }

    func sending(_ serial: UInt64) -> Sending {
        switch phase {
        case .serving(serial): .allowed
        case .ended: .disconnected
        default: .callEnded
        }
    }

    /// Ends the connection; false if it had ended before, with a reason that stays.
    mutating func end(_ reason: VarlinkDisconnection) -> Bool {
        if case .ended = phase { return false }
        phase = .ended(reason)
        return true
    }

    var reason: VarlinkDisconnection? {
        if case .ended(let reason) = phase { return reason }
        return nil
    }
}
