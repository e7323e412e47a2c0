/// The state of a connection: the call that it serves, or the reason why it ended, and the identity of its client.
///
/// ```
/// idle -> serving(serial) -> idle …      any -> ended(reason)
/// ```
struct ConnectionState: Sendable {
    enum Phase: Equatable {
        case idle
        case serving(UInt64)
        case ended(VarlinkDisconnection)
    }

    /// The permission of a call to send a reply.
    enum Sending: Equatable {
        case allowed, callEnded, disconnected
    }

    private(set) var phase = Phase.idle
    private var calls: UInt64 = 0
    /// The identity of the client.
    private(set) var identity: ClientIdentity
    private var failures: UInt64 = 0
    private var hasNewProof = false

    init(_ identity: ClientIdentity) { self.identity = identity }

    /// Replaces the identity by the one that `prove` returns in a call; nil is a failed attempt.
    ///
    /// An identity is proved before anything else happens on a connection: only failed attempts may come before.
    mutating func attempt(
        _ serial: UInt64, _ prove: () -> ClientIdentity?
    ) throws(AuthenticationError) -> ClientIdentity {
        guard serial == failures + 1, failures < 3 else { throw .late }
        guard let proved = prove() else {
            failures += 1
            throw .refused
        }
        identity = proved
        hasNewProof = true
        return proved
    }

    /// Returns true once after the client has proved an identity.
    mutating func takeProof() -> Bool {
        defer { hasNewProof = false }
        return hasNewProof
    }

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
