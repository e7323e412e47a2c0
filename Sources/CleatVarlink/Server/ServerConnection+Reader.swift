internal import CleatIO
internal import SystemPackage

extension ServerConnection {
    /// Reads messages from a stream, with no more system calls than it takes.
    struct Reader {
        private static let chunk = 16 << 10
        /// The same of a message that is known to be large.
        private static let largeChunk = 64 << 10
        /// After how many messages in a row others get their turn, and how many bytes of one count like another message.
        private static let turn = 16
        private static let weight = 16 << 10

        private let stream: ByteStream
        private let loop: EventLoop
        private let budget: MessageBudget
        /// Hears that a large message comes.
        private let large: @Sendable () -> Void
        /// Ends the connection where others have waited too long for the rest of its message.
        private let evict: @Sendable () -> Void
        /// The room for a large message, where it holds one.
        private var claim: MessageBudget.Ticket?
        private var taken = 0
        private var framer: MessageFramer
        /// Whether the last read took all there was, so that the next edge tells when there is more.
        private var drained = false

        init(
            stream: ByteStream, loop: EventLoop, limit: Int, budget: MessageBudget,
            large: @escaping @Sendable () -> Void, evict: @escaping @Sendable () -> Void
        ) {
            self.stream = stream
            self.loop = loop
            self.budget = budget
            self.large = large
            self.evict = evict
            framer = MessageFramer(limit: limit)
        }

        /// Gives back the room of a large message that has been served, and lets go of its bytes.
        mutating func release() {
            guard let claim else { return }
            framer.compact()
            budget.release(claim)
            self.claim = nil
        }

        mutating func mayHaveMissedAnEdge() { drained = false }

        /// Returns the next message; nil at the end, where the rest of an incomplete one is dropped.
        mutating func next(_ limits: VarlinkLimits) async throws -> IncomingCall.Decoded? {
            try Task.checkCancellation()
            release()
            while true {
                if let message = try framer.next() {
                    if let claim { budget.assembled(claim) }
                    // A client that sends faster than it is served would have the loop for itself: nothing else here
                    // need ever suspend.
                    if taken >= Self.turn {
                        taken = 0
                        await loop.yield()
                    }
                    taken += 1 + message.count / Self.weight
                    return IncomingCall.decode(message, limits: limits)
                }
                if claim == nil, framer.pending > limits.small {
                    large()
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
