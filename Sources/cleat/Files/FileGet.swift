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
        let known = try session.call(FilesInterface.Hash.self, .init(area: target.area, path: target.path))
        guard known.size >= 0, SHA256.digest(hexadecimal: known.sha256) != nil else { throw Self.astray }
        var digest = SHA256()
        let start = try sink.begin(known.size, sha256: known.sha256) { digest.update($0) }
        progress.begin("get", target.description, total: known.size, from: start)
        var offset = start
        func take(_ reply: FilesInterface.Read.Reply) throws(CommandError) {
            let piece = try Self.piece(of: reply, at: offset, size: known.size)
            digest.update(piece)
            // A terminal cannot take a line that stands in the middle of what it is sent.
            if sink.isTerminal { progress.clear() }
            try sink.write(piece)
            offset += Int64(piece.count)
            progress.advance(to: offset)
        }
        do throws(CommandError) {
            var asked = offset
            while offset < known.size {
                if asked < known.size, asked - offset < Int64(Self.piecesAhead * APILimits.piece) {
                    try session.callAhead(FilesInterface.Read.self, request(target, at: asked, token: known.token))
                    asked += Int64(APILimits.piece)
                    continue
                }
                let before = offset
                try take(try session.answer(to: FilesInterface.Read.self))
                if offset < known.size, offset - before < Int64(APILimits.piece) {
                    // It was less than was asked for: what was asked ahead does not follow it.
                    session.dropCallsAhead()
                    asked = offset
                }
            }
        } catch {
            session.dropCallsAhead()
            // The content is what it was, and the connection is gone: the next command goes on.
            if error.status == .unavailable { sink.keep() }
            throw error
        }
        let found = SHA256.hexadecimal(digest.finalize())
        progress.clear()
        guard known.sha256 == found else {
            throw CommandError(
                status: .failure, layer: .speak, code: "HashMismatch",
                message: "what came of \(target) is not what the board has", remedy: "get the file again")
        }
        try sink.finish()
        return .init(local: name, target: target, size: offset, sha256: found, resumedAt: start)
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
        else { throw astray }
        return piece
    }

    private static var astray: CommandError {
        CommandError(
            status: .failure, layer: .speak, code: "Reply",
            message: "a piece of the file is not what was asked for",
            remedy: "compare `cleat --version` and `cleat status`: the service may be of another version")
    }
}

/// Takes the pieces of a file that is fetched.
protocol FileSink {
    /// Whether a person looks at it.
    var isTerminal: Bool { get }
    /// Begins a file, before anything is written.
    ///
    /// - Parameters:
    ///   - size: how many bytes it has.
    ///   - sha256: its content, as 64 hexadecimal digits.
    ///   - take: given the bytes that are there from an earlier command.
    /// - Returns: how many those are.
    /// - Throws: why they cannot be read.
    func begin(_ size: Int64, sha256: String, _ take: ([UInt8]) -> Void) throws(CommandError) -> Int64
    /// Takes the next piece.
    func write(_ piece: [UInt8]) throws(CommandError)
    /// Keeps what has come for another command: this one cannot go on.
    func keep()
    /// Ends the file: all of it has come.
    func finish() throws(CommandError)
}

extension FileSink {
    /// Begins the file anew: nothing of it is there.
    ///
    /// - Throws: nothing.
    func begin(_ size: Int64, sha256: String, _ take: ([UInt8]) -> Void) throws(CommandError) -> Int64 { 0 }

    /// Keeps nothing.
    func keep() {}
}
