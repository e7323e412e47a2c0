/// Tells when a registered descriptor can be read or written.
///
/// Edge-triggered: read until nothing is left (`EAGAIN`), then await ``readable()``; an edge that came in between is not
/// lost. There is one waiter for reading and one for writing at a time; a second gets `EBUSY`. Letting go of the last
/// reference closes it.
package final class Readiness: Sendable {
    private let registration: Registration

    init(_ registration: Registration) { self.registration = registration }

    deinit { registration.close() }

    /// Waits until there is something to read, an end or an error; throws `CancellationError` when the task is
    /// cancelled or the readiness closed.
    package func readable() async throws { try await registration.wait(.reading) }

    /// Waits until there is room for writing, or an error; throws as ``readable()`` does.
    package func writable() async throws { try await registration.wait(.writing) }

    /// Whether both directions are shut (EPOLLHUP) or the descriptor is in error: nobody takes what is written.
    package var hungUp: Bool { !registration.seen.isDisjoint(with: [.hangUp, .error]) }

    /// Whether the peer has at least ended its writing (EPOLLRDHUP): it may still read.
    package var peerEndedWriting: Bool { !registration.seen.isDisjoint(with: [.peerHangUp, .hangUp, .error]) }

    /// Ends the registration, before the descriptor is closed.
    ///
    /// More than once does nothing.
    package func close() { registration.close() }
}
