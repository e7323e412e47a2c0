internal import CleatIO
internal import SystemPackage

extension ServerConnection {
    /// Reads messages from a stream, with as few system calls as possible.
    struct Reader {
        private static let chunk = 16 << 10
        /// The bytes of one read while a large message is received.
        private static let largeChunk = 64 << 10
        /// The number of messages in a row after which other connections get their turn, and the number of bytes of a
        /// message that count as another message.
        private static let turn = 16
        private static let weight = 16 << 10

        private let stream: ByteStream
        private let loop: EventLoop
        private let budget: MessageBudget
        /// A function that is called when a large message arrives; it throws if the client may send none.
        private let large: @Sendable () throws -> Void
        /// A function that ends the connection if others have waited too long for the rest of its message.
        private let evict: @Sendable () -> Void
        /// The memory for a large message, if it holds one.
        private var claim: MessageBudget.Ticket?
        private var taken = 0
        private var framer: MessageFramer
        /// True if the last read took all available bytes, so that epoll reports the next ones.
        private var drained = false

        init(
            stream: ByteStream, loop: EventLoop, limit: Int, budget: MessageBudget,
            large: @escaping @Sendable () throws -> Void, evict: @escaping @Sendable () -> Void
        ) {
            self.stream = stream
            self.loop = loop
            self.budget = budget
            self.large = large
            self.evict = evict
            framer = MessageFramer(limit: limit)
        }

        /// Releases the memory of a large message that has been served, and its bytes.
        mutating func release() {
            guard let claim else { return }
            framer.compact()
            budget.release(claim)
            self.claim = nil
        }

        mutating func mayHaveMissedAnEdge() { drained = false }

        /// Returns the next message; nil at the end of the stream, where an incomplete message is dropped.
        mutating func next(_ limits: VarlinkLimits) async throws -> IncomingCall.Decoded? {
            try Task.checkCancellation()
            release()
            while true {
                if let message = try framer.next() {
                    if let claim { budget.assembled(claim) }
                    // A client that sends faster than it is served would occupy the loop alone: nothing else here ever
                    // has to suspend.
                    if taken >= Self.turn {
                        taken = 0
                        await loop.yield()
                    }
                    taken += 1 + message.count / Self.weight
                    return IncomingCall.decode(message, limits: limits)
                }
                if claim == nil, framer.pending > limits.small {
                    try large()
                    claim = try await budget.claim(evict: evict)
                    framer.expectLarge()
                }
                if drained, !stream.peerEndedWriting {
                    drained = false
                    taken = 0
                    try await stream.readable()
                }
                let chunk = claim == nil ? Self.chunk : Self.largeChunk
                guard let bytes = try stream.readSome(upTo: chunk) else {
                    try await stream.readable()
                    continue
                }
                if bytes.isEmpty { return nil }
                drained = bytes.count < chunk
                framer.append(bytes)
                if let claim { budget.progress(claim, bytes.count) }
            }
        }
    }
}
