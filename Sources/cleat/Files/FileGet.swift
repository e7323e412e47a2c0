import CleatAPI
import CleatHash
import CleatSettings

/// Fetches one file from the board in pieces, and compares its SHA-256 with the board's.
struct FileGet {
    let session: Session
    let progress: TransferProgress

    /// Fetches a file.
    ///
    /// - Parameters:
    ///   - target: The file on the board.
    ///   - sink: The destination; it is finished only once the file is complete and its SHA-256 matches.
    ///   - name: The name of the sink in messages.
    /// - Returns: the fetched file.
    /// - Throws: the service's refusal, an invalid reply, or the reason why the file could not be written.
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
            // A progress line must not appear within the file's content on a terminal.
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
                    // The piece is shorter than requested: the replies to the calls ahead do not follow it.
                    session.dropCallsAhead()
                    asked = offset
                }
            }
        } catch {
            session.dropCallsAhead()
            // The content is intact and the connection is lost: the next command can continue.
            if error.status == .unavailable { sink.keep() }
            throw error
        }
        let found = SHA256.hexadecimal(digest.finalize())
        progress.clear()
        guard known.sha256 == found else {
            throw CommandError(
                status: .failure, layer: .speak, code: "HashMismatch",
                message: "the received \(target) does not match the board's file", remedy: "get the file again")
        }
        try sink.finish()
        return .init(local: name, target: target, size: offset, sha256: found, resumedAt: start)
    }

    /// The maximum number of pieces that are requested ahead.
    private static let piecesAhead = 2

    private func request(_ target: FileTarget, at offset: Int64, token: String?) -> FilesInterface.Read.Parameters {
        .init(area: target.area, path: target.path, offset: offset, length: APILimits.piece, token: token)
    }

    /// Decodes the piece in a reply; an empty or misplaced piece is an invalid reply.
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
            message: "a piece of the file is not the requested one",
            remedy: CommandError.otherVersion)
    }
}

/// A destination for the pieces of a fetched file.
protocol FileSink {
    /// True if it is a terminal.
    var isTerminal: Bool { get }
    /// Starts a file, before the first write.
    ///
    /// - Parameters:
    ///   - size: the size in bytes.
    ///   - sha256: the digest of the content, as 64 hexadecimal digits.
    ///   - take: the closure that receives the bytes that an earlier command has fetched.
    /// - Returns: the number of those bytes.
    /// - Throws: the reason why they cannot be read.
    func begin(_ size: Int64, sha256: String, _ take: ([UInt8]) -> Void) throws(CommandError) -> Int64
    /// Writes the next piece.
    func write(_ piece: [UInt8]) throws(CommandError)
    /// Keeps the received bytes for a later command, because this one cannot continue.
    func keep()
    /// Completes the file: all pieces were written.
    func finish() throws(CommandError)
}

extension FileSink {
    /// Starts the file without any bytes of an earlier command.
    ///
    /// - Throws: nothing.
    func begin(_ size: Int64, sha256: String, _ take: ([UInt8]) -> Void) throws(CommandError) -> Int64 { 0 }

    /// Keeps nothing.
    func keep() {}
}
