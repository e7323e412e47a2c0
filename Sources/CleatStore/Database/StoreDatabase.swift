import CleatSandbox
import CleatSettings

/// The open database of a store, which its parts share: the connection, the figures in memory that mirror its content,
/// and transactions that keep both in step.
///
/// The history, the trials and the other parts are views over one of these, so that a change that spans several of them
/// is one SQLite transaction.
final class StoreDatabase {
    let directory: StoreDirectory
    /// The bounds of the store.
    var limits: StoreLimits
    /// The connection; nil until the store is opened, and once it was closed.
    var connection: Database?
    /// The figures of the content, as of the last commit.
    var figures = StoreFigures()
    /// The settings that the opening has found, until they are used or the first change is written.
    var found: (settings: [StoredSetting], unreadable: [String])?
    /// The counters of the bytes written and of the flushes.
    var wear = WearCounters()
    /// The last note of the newest generations; nil if there is none, or only that of another store.
    var noted: NewestNote?
    /// The error with which an in-memory fallback, and a store that a check found damaged, refuse every change; else
    /// nil.
    var refusal: StoreError?
    /// The progress of the check of the whole file.
    var check = FileCheck.due

    /// The progress of the check of the whole file.
    enum FileCheck {
        /// It is still to be made.
        case due
        /// The file is intact.
        case passed
        /// The file is damaged, or a part of it could not be read.
        case failed
    }

    init(_ directory: StoreDirectory, _ limits: StoreLimits) {
        self.directory = directory
        self.limits = limits
    }

    /// The store and the number of its last confirmed generation, with which the device boots.
    var generation: GenerationRef { reference(figures.number) }

    /// Returns a reference to a generation of this store.
    func reference(_ number: Int64) -> GenerationRef { GenerationRef(store: figures.storeID, generation: number) }

    /// Returns the connection; throws if the store was closed.
    func open() throws(StoreError) -> Database {
        guard let connection else {
            throw StoreError(.closed, directory.path, "The store “\(directory.path)” was closed; open it again.")
        }
        return connection
    }

    /// Closes the connection, after it has moved the whole log into the main file, changes of earlier runs included.
    ///
    /// - Throws: the reason why the log could not be moved; the connection is closed all the same.
    func close() throws(StoreError) {
        let isMoved = try moveLog()
        // The stamps are those of files that no program writes any more.
        guard isMoved, figures.lastNumber > 0 else { return }
        noteNewest(isClosed: true, files: check == .passed ? NewestNote.files(in: directory) : 0)
    }

    /// Closes the connection; returns true if the whole log is in the main file.
    private func moveLog() throws(StoreError) -> Bool {
        defer {
            connection?.dropStatements()
            connection = nil
            found = nil
        }
        guard refusal == nil, let connection else { return false }
        if connection.failedReads > 0 { check = .failed }
        // The log still has what the last closing moved, and SQLite would write all of it once more.
        if check != .failed, let noted, figures.areNoted(in: noted), noted.isOfClosed(directory) { return true }
        let isMoved = try sqlite { () throws(SQLiteError) in try connection.checkpoint() }
        if connection.failedReads > 0 { check = .failed }
        return isMoved
    }

    /// Runs `body` and translates SQLite errors.
    func sqlite<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            let error = StoreError(error, directory.path(of: StoreFormat.mainName))
            if error.code == .corrupt { check = .failed }
            throw error
        }
    }

    /// Runs `body` in one transaction: all of it is durable when this returns, or none of it is there.
    ///
    /// On a full disk `body` may run a second time, after the log's space was freed.
    func durably<Value>(
        _ database: Database, _ body: () throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        found = nil
        let value = try sqlite { () throws(SQLiteError) -> Value in
            do throws(SQLiteError) {
                return try database.transaction(body)
            } catch {
                guard error.code.primary == .full else { throw error }
                // The log's file cannot grow, but its content may be moved to the main file, and its space reused.
                _ = try? database.checkpoint()
                return try database.transaction(body)
            }
        }
        wear.commits &+= 1
        // From now on the log holds changes that the main file does not.
        if noted?.isClosed == true { noteNewest() }
        return value
    }

    /// True if the file system has less free space than `limits.freeBytes`.
    var hasLowSpace: Bool { directory.freeBytes.map { $0 < limits.freeBytes } ?? false }

    /// Returns the number of the next generation; throws unless `count` more numbers remain, such as one for the
    /// revert.
    func nextNumber(leaving count: Int64 = 1) throws(StoreError) -> Int64 {
        guard figures.lastNumber < .max - count else {
            throw StoreError(.limit, directory.path, "The store has no more numbers for generations; make a new one.")
        }
        return figures.lastNumber + 1
    }

    /// Throws if a file system that is short of space has none for a large change.
    ///
    /// The change might fit into the log, but the log's content must fit into the main file before the log's space can
    /// be reused: on a full disk one large change would be the last one. Small changes use the space that pruned
    /// history frees.
    func checkSpace(for bytes: Int64, of id: String, _ database: Database) throws(StoreError) {
        guard bytes > StoreLimits.smallBytes, hasLowSpace, let free = directory.freeBytes else { return }
        let pages = try sqlite { () throws(SQLiteError) -> Int64? in try database.value("PRAGMA freelist_count") }
        let space = free + (pages ?? 0) * Int64(StoreFormat.pageSize)
        guard bytes > space else { return }
        throw StoreError(
            .diskFull, id,
            "The change was not stored, because it takes \(bytes) bytes and the file system of the store "
                + "“\(directory.path)” has \(space) free; free space and try again.")
    }

    /// Writes a note of the last generations next to the database, for the next time that it is opened.
    ///
    /// The commit itself is durable. If writing the note fails, a later loss of the log might not be detected; the next
    /// commit reports the device's failure.
    ///
    /// - Parameters:
    ///   - isClosed: true if the whole log is in the main file.
    ///   - files: the hash of the stamps of a checked store's files; 0 if the next opening must check them.
    func noteNewest(isClosed: Bool = false, files: Int64 = 0) {
        guard refusal == nil || check == .failed else { return }
        let note = NewestNote(
            generation: generation, last: figures.lastNumber, sum: figures.settingsSum, isClosed: isClosed, files: files
        )
        guard note != noted else { return }
        noted = note
        do throws(StoreError) {
            if try directory.overwrite(StoreFormat.noteName, with: note.bytes, flushed: isClosed) {
                wear.addBeside(bytes: NewestNote.size, syncs: isClosed ? 1 : 0)
                return
            }
        } catch { return }
        guard (try? DurableFile.write(note.bytes, to: StoreFormat.noteName, in: directory.descriptor)) != nil else {
            return
        }
        wear.addBeside(bytes: NewestNote.size, syncs: 2)
    }
}
