import CleatAPI
import CleatIO
import CleatSettings

/// Keeps the text of a schema while a client fetches it piece by piece, so that it is not generated again for each.
///
/// At most one text is kept: until its last piece is fetched, and no longer than a while after the latest one.
actor SchemaTexts {
    private struct Kept {
        let pieces: SchemaPieces
        let revision: Int
    }

    private nonisolated let loop: EventLoop
    private let worker: Worker
    private let patience: Duration
    private var kept: Kept?
    private var timer: Task<Void, Never>?
    /// The number of times that a text was generated.
    private(set) var written = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates an object that keeps no text.
    ///
    /// - Parameters:
    ///   - loop: The event loop that it runs on.
    ///   - worker: The worker that generates texts.
    ///   - patience: The time for which a text is kept for a client that does not fetch the next piece.
    init(loop: EventLoop, worker: Worker, patience: Duration = .seconds(60)) {
        self.loop = loop
        self.worker = worker
        self.patience = patience
    }

    /// True if a text is kept.
    var isKeeping: Bool { kept != nil }

    /// Returns the piece of a schema's text that begins at a byte.
    ///
    /// - Parameters:
    ///   - offset: The offset of the piece in bytes.
    ///   - schema: The schema in force.
    ///   - revision: A number that changes whenever the schema does.
    /// - Returns: The piece; nil if no character begins at the offset.
    /// - Throws: `CancellationError`, or `WorkerError` if no thread could be created.
    func piece(
        at offset: Int, of schema: Schema, revision: Int
    ) async throws -> SettingsInterface.Schema.Reply? {
        let pieces = try await pieces(of: schema, revision: revision)
        let piece = pieces.piece(at: offset)
        if let piece, piece.next == nil {
            drop()
        } else {
            keep(Kept(pieces: pieces, revision: revision))
        }
        return piece
    }

    /// Returns all pieces of a schema's text; a kept text is used, and no other one is kept.
    func pieces(of schema: Schema, revision: Int) async throws -> SchemaPieces {
        if let kept, kept.revision == revision { return kept.pieces }
        written += 1
        // Generating the text of a large schema takes as long as many calls; the loop serves them meanwhile.
        return try await worker.run { SchemaPieces(schema) }
    }

    private func keep(_ new: Kept) {
        kept = new
        timer?.cancel()
        timer = loop.task(name: "schema text") {
            do {
                try await self.loop.sleep(for: self.patience)
            } catch {
                return
            }
            await self.drop()
        }
    }

    private func drop() {
        kept = nil
        timer?.cancel()
        timer = nil
    }
}
