/// Reports that a registered descriptor can be read or written.
///
/// It is edge-triggered: read until `EAGAIN`, then await ``readable()``; an edge that arrives in between is not lost.
/// There is one waiter for reading and one for writing at a time; a second one gets `EBUSY`. Releasing the last
/// reference closes it.
package final class Readiness: Sendable {
    private let registration: Registration

    init(_ registration: Registration) { self.registration = registration }

    deinit { registration.close() }

    /// Waits until there is something to read, an end or an error.
    ///
    /// It throws `CancellationError` if the task is cancelled or the readiness is closed.
    package func readable() async throws { try await registration.wait(.reading) }

    /// Waits until writing is possible, or an error; throws as ``readable()`` does.
    package func writable() async throws { try await registration.wait(.writing) }

    /// True if both directions are shut down (EPOLLHUP) or the descriptor has an error: written data is no longer
    /// received.
    package var hungUp: Bool { !registration.seen.isDisjoint(with: [.hangUp, .error]) }

    /// True if the peer has shut down its writing (EPOLLRDHUP), the connection or both; it may still read.
    package var peerEndedWriting: Bool { !registration.seen.isDisjoint(with: [.peerHangUp, .hangUp, .error]) }

    /// Ends the registration; call it before closing the descriptor.
    ///
    /// Further calls do nothing.
    package func close() { registration.close() }
}
