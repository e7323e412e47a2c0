import CleatAPI
import CleatIO
import CleatSettings

/// Keeps the text of a schema while a client fetches it piece by piece, so that it is not written anew for each.
///
/// One text is kept at the most: until its last piece is fetched, and no longer than a while after the latest one.
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
    /// How often a text was written.
    private(set) var written = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Makes one that keeps nothing yet.
    ///
    /// - Parameters:
    ///   - loop: What it runs on.
    ///   - worker: What writes texts.
    ///   - patience: How long a text is kept for a client that does not come back.
    init(loop: EventLoop, worker: Worker, patience: Duration = .seconds(60)) {
        self.loop = loop
        self.worker = worker
        self.patience = patience
    }

    /// Whether a text is kept.
    var isKeeping: Bool { kept != nil }

    /// The piece of a schema's text that begins at a byte.
    ///
    /// - Parameters:
    ///   - offset: Where it begins.
    ///   - schema: The schema in force.
    ///   - revision: A number that is another one whenever the schema is.
    /// - Returns: nil where no character begins there.
    /// - Throws: `CancellationError`, or `WorkerError` where no thread could be made.
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

    /// All pieces of a schema's text; only what is kept already is used, and nothing more is kept.
    func pieces(of schema: Schema, revision: Int) async throws -> SchemaPieces {
        if let kept, kept.revision == revision { return kept.pieces }
        written += 1
        // Writing a large schema takes as long as many calls; the loop serves them meanwhile.
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
