import CleatAPI
import CleatSandbox

/// Fetches one file from the board, in pieces, and compares what came with what the board has.
struct FileGet {
    let session: Session
    let progress: TransferProgress

    /// Fetches a file.
    ///
    /// - Parameters:
    ///   - target: The file on the board.
    ///   - sink: Where it goes; it is finished only when all of it has come and is what the board has.
    ///   - name: What the sink is called.
    /// - Returns: what was fetched.
    /// - Throws: what the service refused, what it sent instead, or why it could not be written.
    func fetch(
        _ target: FileTarget, into sink: some FileSink, named name: String
    ) throws(CommandError) -> FileTransferView.Item {
        var digest = SHA256()
        let first = try session.call(FilesInterface.Read.self, request(target, at: 0, token: nil))
        progress.begin("get", target.description, total: first.size)
        var offset: Int64 = 0
        func take(_ reply: FilesInterface.Read.Reply) throws(CommandError) {
            let piece = try Self.piece(of: reply, at: offset, size: first.size)
            digest.update(piece)
            // A terminal cannot take a line that stands in the middle of what it is sent.
            if sink.isTerminal { progress.clear() }
            try sink.write(piece)
            offset += Int64(piece.count)
            progress.advance(to: offset)
        }
        do throws(CommandError) {
            try take(first)
            var asked = offset
            while offset < first.size {
                if asked < first.size, asked - offset < Int64(Self.piecesAhead * APILimits.piece) {
                    try session.callAhead(FilesInterface.Read.self, request(target, at: asked, token: first.token))
                    asked += Int64(APILimits.piece)
                    continue
                }
                let before = offset
                try take(try session.answer(to: FilesInterface.Read.self))
                if offset < first.size, offset - before < Int64(APILimits.piece) {
                    // It was less than was asked for: what was asked ahead does not follow it.
                    session.dropCallsAhead()
                    asked = offset
                }
            }
        } catch {
            session.dropCallsAhead()
            throw error
        }
        let found = SHA256.hexadecimal(digest.finalize())
        let known = try session.call(
            FilesInterface.Hash.self, .init(area: target.area, path: target.path, token: first.token))
        progress.clear()
        guard known.sha256 == found else {
            throw CommandError(
                status: .failure, layer: .speak, code: "HashMismatch",
                message: "what came of \(target) is not what the board has", remedy: "get the file again")
        }
        try sink.finish()
        return .init(local: name, target: target, size: offset, sha256: found)
    }

    /// How many pieces are asked for at a time.
    private static let piecesAhead = 2

    private func request(_ target: FileTarget, at offset: Int64, token: String?) -> FilesInterface.Read.Parameters {
        .init(area: target.area, path: target.path, offset: offset, length: APILimits.piece, token: token)
    }

    /// Takes a piece out of an answer; one that would not bring the file forward is not understood.
    private static func piece(
        of reply: FilesInterface.Read.Reply, at offset: Int64, size: Int64
    ) throws(CommandError) -> [UInt8] {
        guard reply.size == size, let piece = Base64.decode(reply.data), piece.count <= APILimits.piece,
            Int64(piece.count) <= max(0, size - offset), !piece.isEmpty || offset == size
        else {
            throw CommandError(
                status: .failure, layer: .speak, code: "Reply",
                message: "a piece of the file is not what was asked for",
                remedy: "compare `cleat --version` and `cleat status`: the service may be of another version")
        }
        return piece
    }
}

/// Takes the pieces of a file that is fetched.
protocol FileSink {
    /// Whether a person looks at it.
    var isTerminal: Bool { get }
    /// Takes the next piece.
    func write(_ piece: [UInt8]) throws(CommandError)
    /// Ends the file: all of it has come.
    func finish() throws(CommandError)
}
