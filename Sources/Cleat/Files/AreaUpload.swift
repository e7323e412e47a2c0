import CleatAPI
import CleatFiles
import CleatHash
import CleatIO
import CleatSettings
import Synchronization

/// A file that is sent to an area as a stream; an interrupted piece is continued after a restart of the service.
///
/// The service has its bytes next to its future path, where they survive a restart. They are discarded if the upload is
/// released before it is committed, or after a day.
final class AreaUpload: Sendable {
    private struct Progress {
        var offset: Int64 = 0
        var digest = SHA256()
    }

    private struct State {
        /// The sent part; nil during a step, and after the commit or an error.
        var progress: Progress? = Progress()
        var isCommitted = false
    }

    private let area: ServiceArea
    private let path: FilesPath
    private let mode: String?
    private let id = RandomID.make()
    private let state = Mutex(State())

    /// Prepares an upload; `mode` has the permissions in octal digits.
    init(_ area: ServiceArea, _ path: FilesPath, mode: String?) {
        self.area = area
        self.path = path
        self.mode = mode
    }

    deinit {
        guard !state.withLock({ $0.isCommitted }) else { return }
        area.line.attempt { [id] connection in
            _ = try await connection.call(file: FilesInterface.Abort.self, .init(id: id))
        }
    }

    /// Starts the upload; its size and its digest come with the commit.
    func begin() async throws(FileFailure) {
        let reply = try await area.call(
            FilesInterface.Begin.self, .init(id: id, area: area.label, path: "\(path)"), path)
        guard reply.offset == 0 else { throw area.misplaced(path) }
    }

    /// Sends the next bytes in pieces.
    func write(_ bytes: [UInt8]) async throws(FileFailure) {
        var progress = try take()
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(APILimits.piece)
            try await send(Array(piece), at: progress.offset)
            progress.digest.update(piece)
            progress.offset += Int64(piece.count)
            rest = rest.dropFirst(piece.count)
        }
        state.withLock { $0.progress = progress }
    }

    /// Puts the file in place.
    func commit() async throws(FileFailure) {
        let progress = try take()
        let (size, sha256) = (progress.offset, SHA256.hexadecimal(progress.digest.finalize()))
        _ = try await area.call(
            FilesInterface.Commit.self, .init(id: id, mode: mode, size: size, sha256: sha256), path,
            leavesDoubt: true, bytes: size)
        state.withLock { $0.isCommitted = true }
    }

    private func send(_ piece: [UInt8], at start: Int64) async throws(FileFailure) {
        let (id, end) = (id, start + Int64(piece.count))
        let isComplete = try await area.converse(path) { connection in
            var offset = start
            while offset < end {
                let before = offset
                do {
                    let rest = piece[Int(offset - start)...]
                    offset =
                        try await connection.call(
                            file: FilesInterface.Write.self, .init(id: id, offset: offset, data: Base64.encode(rest))
                        ).offset
                } catch let error as FileRefusal where error.kind == .wrongOffset && error.offset > before {
                    // An interrupted call has sent bytes already.
                    offset = error.offset
                }
                guard offset > before else { return false }
            }
            return offset == end
        }
        guard isComplete else { throw area.misplaced(path) }
    }

    private func take() throws(FileFailure) -> Progress {
        let progress = state.withLock { state in
            defer { state.progress = nil }
            return state.progress
        }
        if let progress { return progress }
        throw FileFailure(
            .ended, path: "\(path)",
            message: "“\(path)” in \(area.label) cannot be written: its writer was committed, has failed, or is in use",
            remedy: "open another writer")
    }
}
