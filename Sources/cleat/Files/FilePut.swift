import CleatAPI
import CleatHash
import CleatSettings

/// Sends one file to the board in pieces, and resumes an interrupted upload.
struct FilePut {
    let session: Session
    let progress: TransferProgress
    /// The id of the upload; nil for one that is derived from the file and its target.
    var id: String?

    /// Sends a file.
    ///
    /// - Returns: the sent file, with the size of the part that was there already.
    func send(
        _ source: LocalSource, to target: FileTarget, mode: String?
    ) throws(CommandError) -> FileTransferView.Item {
        let digest = try hash(source)
        let id = id ?? UploadID.make(for: target, size: source.size, sha256: digest)
        let started = try upload(source, to: target, sha256: digest, as: id)
        _ = try session.call(FilesInterface.Commit.self, .init(id: id, mode: mode))
        progress.clear()
        return .init(
            local: source.name, target: target, size: source.size, sha256: digest, resumedAt: started.offset)
    }

    /// Sends the part of a file that the board does not have yet, without putting the file in place.
    ///
    /// - Returns: the reply with the offset at which the upload was resumed.
    func upload(
        _ source: LocalSource, to target: FileTarget, sha256: String, as id: String
    ) throws(CommandError) -> FilesInterface.Begin.Reply {
        let started = try session.call(
            FilesInterface.Begin.self,
            .init(id: id, area: target.area, path: target.path, size: source.size, sha256: sha256))
        try send(source, from: started.offset, as: id)
        return started
    }

    /// Returns the SHA-256 of a file in hexadecimal digits.
    func hash(_ source: LocalSource) throws(CommandError) -> String {
        progress.begin("hash", source.name, total: source.size)
        var digest = SHA256()
        var offset: Int64 = 0
        while offset < source.size {
            let piece = try source.read(at: offset, upTo: APILimits.piece)
            digest.update(piece)
            offset += Int64(piece.count)
            progress.advance(to: offset)
        }
        return SHA256.hexadecimal(digest.finalize())
    }

    private func send(_ source: LocalSource, from start: Int64, as id: String) throws(CommandError) {
        guard (0...source.size).contains(start) else { throw Self.astray(start) }
        progress.begin("put", source.name, total: source.size, from: start)
        do throws(CommandError) {
            try sendPieces(source, from: start, as: id)
        } catch {
            session.dropCallsAhead()
            throw error
        }
        try source.checkUnchanged()
    }

    /// Sends the pieces; the next one is sent while the service still processes the previous one.
    private func sendPieces(_ source: LocalSource, from start: Int64, as id: String) throws(CommandError) {
        var sent = start
        var expected: [Int64] = []
        while sent < source.size || !expected.isEmpty {
            if sent < source.size, expected.count < Self.piecesAhead {
                let piece = try source.read(at: sent, upTo: APILimits.piece)
                try session.callAhead(
                    FilesInterface.Write.self, .init(id: id, offset: sent, data: Base64.encode(piece)))
                sent += Int64(piece.count)
                expected.append(sent)
                continue
            }
            let next = expected.removeFirst()
            let offset = try session.answer(to: FilesInterface.Write.self).offset
            guard offset == next else { throw Self.astray(offset) }
            progress.advance(to: offset)
        }
    }

    /// The maximum number of pieces in flight.
    private static let piecesAhead = 2

    static func astray(_ offset: Int64) -> CommandError {
        CommandError(
            status: .failure, layer: .speak, code: "Reply",
            message: "the service wants the file to continue at byte \(offset), which is not where it ends",
            remedy: CommandError.otherVersion)
    }
}

/// Derives the id of an upload.
///
/// The id depends only on the content and the target: sending the same file again after an interruption resumes the
/// upload.
enum UploadID {
    static func make(for target: FileTarget, size: Int64, sha256: String) -> String {
        let text = "\(target.area)\0\(target.path)\0\(size)\0\(sha256)"
        return "put-" + SHA256.hexadecimal(of: text.utf8).prefix(40)
    }
}
