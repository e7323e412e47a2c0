import CleatIO
import CleatSettings

/// The repair of a store that was just opened and lacks acknowledged changes, because its log was lost or damaged, or
/// that holds settings which were never written.
struct LostLogRepair {
    let store: StoreDatabase
    let copies: SecondCopyWriter
    /// The events of opening the store so far.
    var opening: StoreOpening

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
    mutating func run(lacksLog: Bool, _ stamp: CommitStamp) throws(StoreError) {
        store.noted = NewestNote.read(in: store.directory).flatMap {
            $0.generation.store == store.figures.storeID ? $0 : nil
        }
        if try confirmAgain() { return }
        let noted = store.noted
        let (number, lastNumber) = (store.figures.number, store.figures.lastNumber)
        let isDamaged = noted.map { $0.generation == store.generation && $0.sum != store.figures.settingsSum } ?? false
        func own(_ generation: GenerationRef?) -> Int64? {
            generation.flatMap { $0.store == store.figures.storeID ? $0.generation : nil }
        }
        // A large copy takes long to check, and is not needed if the store is at least as new.
        let stated = own(copies.stated)
        let copied = isDamaged || stated.map { $0 > number } ?? false ? own(copies.copied) : stated
        let known = max(noted?.generation.generation ?? 0, copied ?? 0)
        let last = max(noted?.last ?? 0, known)
        guard isDamaged || known > number || last > lastNumber else {
            // A store that was closed has nothing in its log, and a new one has no log.
            guard lacksLog, lastNumber > 0, noted?.isClosed != true,
                try History(store: store).record(number: lastNumber)?.state != .restored
            else { return }
            opening.lost = StoreOpening.Lost(found: number, isDamaged: false)
            return
        }
        var lost = StoreOpening.Lost(found: number, isDamaged: isDamaged)
        lost.newest = max(last, lastNumber)
        if !isDamaged, !store.hasLowSpace { lost.log = keepLog() }
        var copy: SecondCopy?
        if let copied, isDamaged ? copied >= number : copied > number {
            copy = try copies.read(quarantining: &opening.quarantined)
        }
        lost.copied = copy?.header.generation.generation
        do throws(StoreError) {
            // If only settings are damaged, a change on trial stays on trial.
            let endsTrial = !isDamaged || last > lastNumber
            try recordLoss(with: copy, describing: &lost, endsTrial: endsTrial, stamp)
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
    private mutating func confirmAgain() throws(StoreError) -> Bool {
        let trials = Trials(store: store)
        guard let pending = store.figures.pending, let noted = store.noted, noted.generation.generation == pending,
            noted.last == pending,
            let trial = try trials.table.head(), let database = store.connection,
            try store.sqlite({ () throws(SQLiteError) in
                try SettingsTable(store: store).sum(afterTakingOver: pending, database)
            }) == noted.sum
        else { return false }
        let cause = "the log of the store was lost or damaged, and with it the confirmation"
        _ = try trials.confirm(id: trial.id, note: .confirmedAgain(reason: cause))
        opening.confirmedAgain = "Generation \(pending) was confirmed again, since \(cause)."
        return true
    }

    /// Copies the log to a name with the present time; nil if that is not possible, or the log is empty.
    private func keepLog() -> String? {
        let name = "quarantined-\(StoreDirectory.stamp)-wal"
        do throws(StoreError) {
            guard try store.directory.hasLog, try store.directory.size(of: name) == nil else { return nil }
            try store.directory.copy(StoreFormat.logName, to: store.directory, as: name)
            return name
        } catch {
            return nil
        }
    }

    /// Writes a generation above all that were ever acknowledged, with the settings of a copy or the stored ones.
    ///
    /// If changes were lost, the change on trial was confirmed or reverted meanwhile: it is on trial no more.
    private func recordLoss(
        with copy: SecondCopy?, describing lost: inout StoreOpening.Lost, endsTrial: Bool, _ stamp: CommitStamp
    ) throws(StoreError) {
        let database = try store.open()
        store.figures.lastNumber = lost.newest ?? store.figures.lastNumber
        let next = try store.nextNumber(leaving: 0)
        let comment = lost.comment.prefix(bytes: StoreLimits.commentBytes)
        let request = CommitRequest(
            changes: [], id: "restored-\(next)-\(RandomID.make())", hash: "", author: "cleatd",
            comment: comment, stamp: stamp)
        let size = 160 + Int64(comment.utf8.count)
        try store.durably(database) { () throws(SQLiteError) in
            if endsTrial {
                try TrialTable(store: store).drop(database)
                try database.run("DELETE FROM fingerprints WHERE pending = 1")
                try database.run(
                    "UPDATE generations SET state = ? WHERE state = ?",
                    [.text(GenerationState.reverted.word), .text(GenerationState.pending.word)])
            }
            if let copy {
                // The stored fingerprints belong to other settings.
                try database.run("DELETE FROM fingerprints WHERE pending = 0")
                try database.run("DELETE FROM settings")
                try SettingsTable.insert(copy.settings, next, database)
            }
            try History(store: store).insert(request, next, size, state: .restored, database)
        }
        store.figures.number = next
        store.figures.lastRestored = next
        store.figures.lastNumber = next
        if endsTrial { store.figures.pending = nil }
        if let copy {
            (store.figures.settingsCount, store.figures.settingsSum) = (0, SettingsSum())
            for setting in copy.settings { store.figures.change(setting.path, from: nil, to: setting.value) }
        }
        store.figures.add(size)
        lost.successor = next
        store.noteNewest()
    }
}
