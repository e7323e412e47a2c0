import CleatAPI
import CleatSandbox

extension StoreFile {
    /// Writes a note of the last generations next to the database, for the next time that it is opened.
    ///
    /// The commit itself is durable. If writing the note fails, a later loss of the log might not be detected; the next
    /// commit reports the device's failure.
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

    /// Reads the note of the last generations; nil if there is none, or it is damaged or cannot be read: an intact
    /// store is opened without it.
    func readNote() -> NewestNote? {
        guard let head = try? directory.head(of: StoreFormat.noteName, count: NewestNote.size, writing: false) else {
            return nil
        }
        return NewestNote(bytes: head.bytes)
    }

    /// Reads the header of the second copy; nil if there is none, or its checksum does not match.
    func readCopyHeader() -> SecondCopy.Header? {
        guard
            let file = try? directory.head(
                of: StoreFormat.copyName, count: Int(clamping: SecondCopy.largest), writing: false),
            SecondCopy.isWhole(file.bytes)
        else { return nil }
        return SecondCopy.header(of: file.bytes)
    }

    /// Returns true if there is no write-ahead log, or one without a valid header: SQLite takes either for an empty
    /// log.
    ///
    /// A log keeps its header for ever, since its file is kept; only a store that was never written has none. The
    /// format is that of https://sqlite.org/fileformat2.html#walformat.
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

    /// Repairs a store that was just opened if it lacks acknowledged changes, because its log was lost or damaged, or
    /// holds settings that were never written.
    ///
    /// The settings are taken from the second copy if it is newer or the stored ones are damaged, and the store
    /// continues above the highest known number.
    ///
    /// `opening.lost` and the history describe the loss. The damaged log is kept under another name.
    ///
    /// - Parameters:
    ///   - lacksLog: true if there was no log when the store was opened.
    ///   - stamp: the time of the generation that records the loss.
    /// - Throws: a storage error.
    func makeUpForLostLog(lacksLog: Bool, _ stamp: CommitStamp) throws(StoreError) {
        noted = readNote().flatMap { $0.generation.store == storeID ? $0 : nil }
        if try confirmAgain() { return }
        let copied = copyPolicy.last.flatMap { $0.generation.store == storeID ? $0.generation.generation : nil }
        let known = max(noted?.generation.generation ?? 0, copied ?? 0)
        let last = max(noted?.last ?? 0, known)
        let isDamaged = noted.map { $0.generation == generation && $0.sum != settingsSum } ?? false
        guard isDamaged || known > number || last > lastNumber else {
            // A store that was closed has nothing in its log, and a new one has no log.
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
            // If only settings are damaged, a change on trial stays on trial.
            let endsTrial = !isDamaged || last > lastNumber
            try goOn(with: copy, describing: &lost, endsTrial: endsTrial, stamp)
        } catch {
            // A store that could be opened before must open on a full disk, too.
            guard error.code == .diskFull else { throw error }
            lost.copied = nil
        }
        opening.lost = lost
    }

    /// Confirms the change on trial again if its confirmation was lost with the log.
    ///
    /// - Returns: true if it was confirmed: the settings with the change have the noted checksum.
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

    /// Copies the log to a name with the present time; nil if that is not possible, or the log is empty.
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

    /// Writes a generation above all that were ever acknowledged, with the settings of a copy or the stored ones.
    ///
    /// If changes were lost, the change on trial was confirmed or reverted meanwhile: it is on trial no more.
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
                // The stored fingerprints belong to other settings.
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

    /// Writes the settings of a copy into an empty table.
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
