package import SystemPackage

/// The signals that end a command, and SIGCHLD, in the order of their arrival, for a program without an event loop.
/// `signalfd(2)`
package final class SignalQueue: Sendable {
    /// A signal that has arrived.
    package struct Arrival: Sendable, Hashable {
        /// The signal.
        package let signal: Signal
        /// True if the terminal has sent it to the whole foreground process group.
        package let isTyped: Bool
    }

    /// The signals that are blocked and queued.
    static let signals: [Signal] = [.interrupt, .quit, .terminate, .hangUp, .child]

    /// The descriptor that is readable when a signal has arrived.
    package let descriptor: Descriptor

    /// Blocks the signals, and queues them from now on.
    package init() throws(Errno) {
        SignalMask.block(Self.signals)
        descriptor = Descriptor(owning: try Kernel.signalDescriptor(Self.signals))
    }

    /// Returns the next signal; nil if none has arrived.
    package func next() throws(Errno) -> Arrival? {
        guard let read = try Kernel.readArrival(descriptor.rawValue) else { return nil }
        return Arrival(signal: read.signal, isTyped: read.isTyped)
    }

    /// Discards the signals that have arrived, and unblocks them.
    package func end() {
        while (try? next()) != nil {}
        SignalMask.unblock(Self.signals)
        descriptor.close()
    }
}
