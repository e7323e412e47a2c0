internal import SystemPackage

/// The signals that arrive, in order. `signalfd(2)`
package struct SignalSequence: AsyncSequence, Sendable {
    /// A signal.
    package typealias Element = Signal

    private let descriptor: Descriptor
    private let readiness: Readiness

    init(loop: EventLoop, _ signals: [Signal]) throws(Errno) {
        descriptor = Descriptor(owning: try Kernel.signalDescriptor(signals))
        readiness = try loop.register(descriptor.descriptor)
    }

    /// Iterates over the signals.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let sequence: SignalSequence

        /// Waits for the next signal; throws `CancellationError` when the task is cancelled.
        package mutating func next() async throws -> Signal? {
            while true {
                if let signal = try Kernel.readSignal(sequence.descriptor.rawValue) { return signal }
                try await sequence.readiness.readable()
            }
        }
    }

    /// Makes an iterator; each signal goes to the iterator that reads it first.
    package func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }
}

extension EventLoop {
    /// Listens for signals, which must have been blocked with ``SignalMask/block(_:)``.
    package func signals(_ signals: [Signal]) throws -> SignalSequence { try SignalSequence(loop: self, signals) }
}
