import CleatAPI
import CleatJSON
import CleatSettings

/// Appends a local file to a file of the board, in pieces; each is appended once, even if its reply is lost.
struct FileAppend {
    let board: ReconnectingSession
    let target: FileTarget

    /// Appends a file.
    ///
    /// - Returns: the new size of the board's file.
    /// - Throws: the failure, with the number of appended bytes.
    func send(_ source: LocalSource) throws(CommandError) -> Int64 {
        var (end, done, starts) = (try size(), Int64(0), 1)
        do throws(CommandError) {
            repeat {
                let piece = try source.read(at: done, upTo: APILimits.piece)
                do throws(CommandError) {
                    try add(piece, at: end)
                    (done, end) = (done + Int64(piece.count), end + Int64(piece.count))
                } catch {
                    // Another client appends, too: before the first piece, this one starts at the new end.
                    guard error.isAbout(.changed), done == 0, starts < 32 else { throw error }
                    (end, starts) = (try size(), starts + 1)
                }
            } while done < source.size
            return end
        } catch {
            var error = error
            error.parameters["appended"] = .integer(done)
            error.details.append("\(done) of \(source.size) bytes were appended")
            if error.isLost {
                error.remedy =
                    "see `cleat file stat \(target)`: without the piece whose reply is lost, it has \(end) bytes"
            } else if done > 0 {
                error.remedy = "append the rest, from `tail -c +\(done + 1)` of \(source.name)"
            }
            throw error
        }
    }

    private func size() throws(CommandError) -> Int64 { try board.session.look(at: target)?.entry.size ?? 0 }

    /// Appends a piece at the end of the file; if the reply is lost, the call is repeated.
    private func add(_ piece: [UInt8], at end: Int64) throws(CommandError) {
        var isRepeated = false
        let (area, path) = (target.area, target.path)
        try board.retrying(for: board.grace) { session throws(CommandError) in
            defer { isRepeated = true }
            do throws(CommandError) {
                let size = try session.call(
                    FilesInterface.Append.self, .init(area: area, path: path, offset: end, data: Base64.encode(piece))
                ).size
                guard size == end + Int64(piece.count) else { throw FilePut.astray(size) }
            } catch {
                // The first call may have appended the piece: then it is at the offset.
                guard isRepeated, error.isAbout(.changed) else { throw error }
                let found = try session.call(
                    FilesInterface.Read.self, .init(area: area, path: path, offset: end, length: piece.count))
                guard Base64.decode(found.data) == piece else { throw error }
            }
        }
    }
}
