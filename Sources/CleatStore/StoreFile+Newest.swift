import CleatAPI
import CleatSandbox

extension StoreFile {
    /// Leaves word of the last generations beside the database, for the next time that it is opened.
    ///
    /// The commit itself is durable. What fails here only costs that a loss of the log might not be noticed, and the
    /// device's failure is told by the next commit.
    func noteNewest(isClosed: Bool = false) {
        guard refusal == nil else { return }
        let note = NewestNote(generation: generation, last: lastNumber, sum: settingsSum, isClosed: isClosed)
        guard note != noted else { return }
        noted = note
        do throws(StoreError) {
            if try directory.overwrite(StoreFormat.noteName, with: note.bytes, flushed: isClosed) {
                besideBytes &+= Int64(NewestNote.size)
                besideSyncs &+= isClosed ? 1 : 0
                return
            }
        } catch { return }
        guard (try? DurableFile.write(note.bytes, to: StoreFormat.noteName, in: directory.descriptor)) != nil else {
            return
        }
        besideBytes &+= Int64(NewestNote.size)
        besideSyncs &+= 2
    }

    /// Reads what was noted of the last generations; nil where nothing is known, or only something that is damaged or
    /// cannot be read: a sound store is opened without it.
    func readNote() -> NewestNote? {
        guard let head = try? directory.head(of: StoreFormat.noteName, count: NewestNote.size, writing: false) else {
            return nil
        }
        return NewestNote(bytes: head.bytes)
    }

    /// Reads the header of the second copy, where all of it has its checksum; nil where there is none that can be used.
    func readCopyHeader() -> SecondCopy.Header? {
        guard
            let file = try? directory.head(
                of: StoreFormat.copyName, count: Int(clamping: SecondCopy.largest), writing: false),
            SecondCopy.isWhole(file.bytes)
        else { return nil }
        return SecondCopy.header(of: file.bytes)
    }

    /// Whether there is no write-ahead log, or one without a header: SQLite takes either for an empty log.
    ///
    /// A log keeps its header for good, since its file is kept; only a store that was never written has none. The format
    /// is that of https://sqlite.org/fileformat2.html#walformat.
    func lacksLog() throws(StoreError) -> Bool {
        guard let head = try directory.head(of: StoreFormat.logName, count: 32, writing: false)?.bytes,
            head.count == 32
        else { return true }
        func word(_ offset: Int, littleEndian: Bool) -> UInt32 {
            let bytes = head[offset..<offset + 4]
            return littleEndian
                ? bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } : bytes.reduce(0) { $0 << 8 | UInt32($1) }
        }
        let magic = word(0, littleEndian: false)
        guard magic & ~1 == 0x377F_0682 else { return true }
        var sums: (UInt32, UInt32) = (0, 0)
        for offset in stride(from: 0, to: 24, by: 8) {
            sums.0 &+= word(offset, littleEndian: magic & 1 == 0) &+ sums.1
            sums.1 &+= word(offset + 4, littleEndian: magic & 1 == 0) &+ sums.0
        }
        return sums != (word(24, littleEndian: false), word(28, littleEndian: false))
    }

    /// Finds out whether the store, which has just been opened, lacks changes that were acknowledged, because its log
    /// was lost or damaged, or has settings that nobody wrote; takes the second copy where that knows better, and goes
    /// on above the highest number.
    ///
    /// What happened stands in `opening.lost` and in the history. The damaged log is kept under another name.
    ///
    /// - Parameters:
    ///   - lacksLog: whether there was no log when the store was opened.
    ///   - stamp: the time, for the generation that says so.
    /// - Throws: what the storage said.
    func makeUpForLostLog(lacksLog: Bool, _ stamp: CommitStamp) throws(StoreError) {
        noted = readNote().flatMap { $0.generation.store == storeID ? $0 : nil }
        if try confirmAgain() { return }
        let copied = copyPolicy.last.flatMap { $0.generation.store == storeID ? $0.generation.generation : nil }
        let known = max(noted?.generation.generation ?? 0, copied ?? 0)
        let last = max(noted?.last ?? 0, known)
        let isDamaged = noted.map { $0.generation == generation && $0.sum != settingsSum } ?? false
        guard isDamaged || known > number || last > lastNumber else {
            // A store that was closed has nothing in its log, and one that was just made has none.
            guard lacksLog, lastNumber > 0, noted?.isClosed != true,
                try record(number: lastNumber)?.state != GenerationRecord.restored
            else { return }
            opening.lost = StoreOpening.Lost(found: number, isDamaged: false)
            return
        }
        var lost = StoreOpening.Lost(found: number, isDamaged: isDamaged)
        lost.newest = max(last, lastNumber)
        if !isDamaged, !hasLowSpace { lost.log = keepLog() }
        var copy: SecondCopy?
        if let copied, isDamaged ? copied >= number : copied > number { copy = try readCopy() }
        lost.copied = copy?.header.generation.generation
        do throws(StoreError) {
            // Where only settings are damaged, a change on trial still is.
            let endsTrial = !isDamaged || last > lastNumber
            try goOn(with: copy, describing: &lost, endsTrial: endsTrial, stamp)
        } catch {
            // A full disk is no reason not to open a store that was opened before.
            guard error.code == .diskFull else { throw error }
            lost.copied = nil
        }
        opening.lost = lost
    }

    /// Confirms the change on trial again, where its confirmation was lost with the log.
    ///
    /// - Returns: whether it was: the settings are those that were noted.
    private func confirmAgain() throws(StoreError) -> Bool {
        guard let pending, let noted, noted.generation.generation == pending, noted.last == pending,
            let trial = try head(), let database,
            try sqlite({ () throws(SQLiteError) in try sum(afterTakingOver: pending, database) }) == noted.sum
        else { return false }
        let told = "the log of the store was lost or damaged, and with it the confirmation"
        _ = try confirm(id: trial.id, note: "confirmed again: " + told)
        opening.confirmedAgain = "Generation \(pending) was confirmed again, since \(told)."
        return true
    }

    /// Copies the log to a name that says when; nil where that is not possible, or there is nothing in it.
    private func keepLog() -> String? {
        let name = "set-aside-\(StoreDirectory.stamp)-wal"
        do throws(StoreError) {
            guard try !lacksLog(), try directory.size(of: name) == nil else { return nil }
            try directory.copy(StoreFormat.logName, to: directory, as: name)
            return name
        } catch {
            return nil
        }
    }

    /// Writes a generation above all that were ever acknowledged, with the settings of a copy or those that are there.
    ///
    /// Where changes were lost, the one on trial has ended meanwhile, one way or the other: it is on trial no more.
    private func goOn(
        with copy: SecondCopy?, describing lost: inout StoreOpening.Lost, endsTrial: Bool, _ stamp: CommitStamp
    ) throws(StoreError) {
        let database = try open()
        lastNumber = lost.newest ?? lastNumber
        let next = try nextNumber(leaving: 0)
        let comment = lost.comment.prefix(bytes: StoreLimits.commentBytes)
        let request = CommitRequest(
            changes: [], id: "restored-\(next)-\(try StoreDirectory.randomID())", hash: "", author: "cleatd",
            comment: comment, stamp: stamp)
        let size = 160 + Int64(comment.utf8.count)
        try durably(database) { () throws(SQLiteError) in
            if endsTrial, self.hasTrialTables {
                try self.dropTrial(database)
                try database.run(
                    "UPDATE generations SET state = ? WHERE state = ?",
                    [.text(GenerationRecord.reverted), .text(GenerationRecord.pending)])
            }
            if let copy {
                // What the resources were after they were written is known of other settings.
                if self.hasFingerprints { try database.run("DELETE FROM fingerprints WHERE pending = 0") }
                try database.run("DELETE FROM settings")
                try self.insert(copy.settings, next, database)
            }
            try self.insert(request, next, size, state: GenerationRecord.restored, database)
        }
        number = next
        lastNumber = next
        if endsTrial { pending = nil }
        if let copy {
            settingsCount = copy.settings.count
            settingsSum = SettingsSum()
            for setting in copy.settings { settingsSum.add(setting.path, setting.value) }
        }
        historyCount += 1
        historyBytes += size
        lost.successor = next
        noteNewest()
    }

    /// Writes the settings of a copy into a table that has none.
    func insert(
        _ settings: [(path: String, value: String)], _ generation: Int64, _ database: Database
    ) throws(SQLiteError) {
        for setting in settings {
            try database.run(
                "INSERT INTO settings(path, value, generation) VALUES(?, ?, ?)",
                [.text(setting.path), .text(setting.value), .integer(generation)])
        }
    }
}
