import CleatJSON
import CleatSettings
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatStore

/// The check of what an opening does not read follows it, and finds what a check before it would have found.
@Suite(.tags(.board)) struct DeferredCheckTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open(_ hook: StorageHook? = nil) throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits, defersCheck: true, hook: hook)
    }

    var main: String { directory.appending("settings.db") }

    /// Closes a store with a history of some pages; returns the root page of a table, or of an index.
    @discardableResult
    func makeClosed(pageOf name: String = "changes") throws -> Int {
        let store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        for turn in 0..<80 { try store.set(("system/hostname", .string("name\(turn)"))) }
        let page: Int64? = try store.database?.value("SELECT rootpage FROM sqlite_master WHERE name = '\(name)'")
        try store.close(stamp: stamp)
        return Int(try #require(page))
    }

    /// Damages a page, and makes the note say that the file was closed like this.
    func damage(page: Int, isNoted: Bool) throws {
        var content = try bytes(main)
        let start = (page - 1) * StoreFormat.pageSize
        content.replaceSubrange(start..<start + 8, with: [UInt8](repeating: 0xAA, count: 8))
        // Two writes within one tick of the kernel's clock have the same time.
        let store = try StoreDirectory(directory.path)
        let closed = NewestNote.files(in: store)
        repeat { try write(content, to: main) } while NewestNote.files(in: store) == closed
        guard isNoted else { return }
        var note = try #require(NewestNote.read(in: store))
        note.files = NewestNote.files(in: store)
        try write(note.bytes, to: directory.appending(StoreFormat.noteName))
    }

    @Test func theWholeStoreIsCheckedLaterUnlessItsClosingHasNotedThat() throws {
        try makeClosed()
        var store = try open()
        #expect(store.store.check == .due)
        try store.checkIfDue(stamp)
        #expect(store.store.check == .passed)
        try store.close(stamp: stamp)
        let noted = NewestNote.read(in: store.store.directory)?.files
        #expect(noted != 0)
        store = try open()
        #expect(store.store.check == .due)
        try store.set(("system/hostname", "more"))
        // A store that was not checked is not left as one that was.
        try store.close(stamp: stamp)
        #expect(NewestNote.read(in: store.store.directory)?.files == 0)
        #expect(
            try StoreFile(directory: directory.path, stamp: stamp).store.check == .passed, "the check was not deferred")
    }

    /// A trial that ends reads the history.
    @Test func aStoreWithAChangeOnTrialIsCheckedFirst() throws {
        try makeClosed()
        let store = try open()
        _ = try store.trials.arm(try request("trial", [("system/hostname", "tried")]), TrialRequest(window: 1_000))
        try store.close(stamp: stamp)
        #expect(try open().store.check == .passed)
    }

    /// Both are damaged without a note: the one that a start reads, and one that it does not.
    @Test(arguments: [("sqlite_autoindex_origins_1", true), ("changes", false)])
    func aFileThatHasChangedSinceIsCheckedFirstWhereAStartReadsIt(name: String, isFirst: Bool) throws {
        try damage(page: try makeClosed(pageOf: name), isNoted: false)
        var store = try open()
        if !isFirst {
            #expect(store.opening == StoreOpening())
            #expect(#expect(throws: StoreError.self) { try store.checkIfDue(stamp) }?.code == .corrupt)
            try store.close(stamp: stamp)
            // A service that knows of the damage opens it with the whole check.
            store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        }
        #expect(store.opening.quarantined.map(\.file).contains("settings.db"))
        #expect(try store.values == ["system/hostname": "name79"])
    }

    /// The second copy is written at most once an hour; the settings that are read are newer.
    @Test func damageAfterAKillLosesNoSetting() throws {
        try makeClosed()
        let killed = try open()
        for turn in 80..<85 { try killed.set(("system/hostname", .string("name\(turn)"))) }
        let page: Int64? = try killed.database?.value("SELECT rootpage FROM sqlite_master WHERE name = 'changes'")
        let copied = try TemporaryDirectory()
        for (name, content) in try contents(in: directory.path.string) {
            try write(content, to: copied.appending(name))
        }
        // The pages of the log are newer, so it is moved into the file first.
        let moved = try StoreFile(directory: copied.path, stamp: stamp, limits: smallLimits, defersCheck: true)
        try moved.close(stamp: nil)
        let file = copied.appending("settings.db")
        var content = try bytes(file)
        let start = (Int(try #require(page)) - 1) * StoreFormat.pageSize
        content.replaceSubrange(start..<start + 8, with: [UInt8](repeating: 0xAA, count: 8))
        try write(content, to: file)

        var store = try StoreFile(directory: copied.path, stamp: stamp, limits: smallLimits, defersCheck: true)
        #expect(#expect(throws: StoreError.self) { try store.checkIfDue(stamp) }?.code == .corrupt)
        try store.close(stamp: stamp)
        store = try StoreFile(directory: copied.path, stamp: stamp, limits: smallLimits)
        #expect(store.opening.quarantined.map(\.file).contains("settings.db"))
        #expect(try store.values == ["system/hostname": "name84"])
    }

    /// A power cut can bring back the note and the times of the files from before the last changes.
    @Test func aLogThatIsNewerThanTheNoteIsUsedAndMovedByClosing() throws {
        try makeClosed()
        let closed = try bytes(directory.appending(StoreFormat.noteName))
        let copied = try TemporaryDirectory()
        let store = try open()
        try store.set(("system/hostname", "newer"))
        for (name, content) in try contents(in: directory.path.string) {
            try write(content, to: copied.appending(name))
        }
        try store.close(stamp: stamp)

        let place = try StoreDirectory(copied.path)
        var note = try #require(NewestNote(bytes: closed))
        note.files = NewestNote.files(in: place)
        try write(note.bytes, to: copied.appending(StoreFormat.noteName))
        place.unlock()
        let again = try StoreFile(directory: copied.path, stamp: stamp, limits: smallLimits, defersCheck: true)
        #expect(try again.values == ["system/hostname": "newer"])
        let main = try bytes(copied.appending("settings.db"))
        try again.close(stamp: stamp)
        #expect(try bytes(copied.appending("settings.db")) != main, "the log is moved")
    }

    @Test func damageThatIsMetBeforeTheCheckIsNotForgotten() throws {
        try damage(page: try makeClosed(), isNoted: true)
        let store = try open()
        // The table of changes is what a comparison reads.
        #expect(#expect(throws: StoreError.self) { try store.history.differences(from: 1, to: 80) }?.code == .corrupt)
        #expect(#expect(throws: StoreError.self) { try store.checkIfDue(stamp) }?.code == .corrupt)
        #expect(throws: StoreError.self) { try store.checkChangeable() }
        try store.close(stamp: stamp)
        #expect(try !StoreFile(directory: directory.path, stamp: stamp).opening.quarantined.isEmpty)
    }

    @Test func anUnchangedStoreIsClosedWithoutAWrite() throws {
        try makeClosed()
        let files = NewestNote.files(in: try StoreDirectory(directory.path))
        let store = try open()
        try store.checkIfDue(stamp)
        try store.close(stamp: stamp)
        #expect(NewestNote.files(in: store.store.directory) == files)
        #expect(NewestNote.read(in: store.store.directory)?.files == files)
    }

    @Test func damageThatIsFoundLaterRefusesChangesAndTheNextOpeningRepairsIt() throws {
        try damage(page: try makeClosed(), isNoted: true)
        var store = try open()
        #expect(store.opening == StoreOpening())
        let closed = store.generation
        let found = #expect(throws: StoreError.self) { try store.checkIfDue(stamp) }
        #expect(found?.code == .corrupt)
        #expect(found?.description.contains("start the program again") == true)
        #expect(store.store.check == .failed)
        #expect(#expect(throws: StoreError.self) { try store.checkChangeable() }?.code == .corrupt)
        #expect(try store.values == ["system/hostname": "name79"], "the settings are still served")
        try store.close(stamp: stamp)

        store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        #expect(store.opening.quarantined.map(\.file).contains("settings.db"))
        #expect(store.opening.restored == closed)
        #expect(try store.values == ["system/hostname": "name79"])
        #expect(try store.set(("system/hostname", "after")) == closed.generation + 2)
    }

    @Test func aReadThatFailsLeavesTheCheckToTheNextOpening() throws {
        try makeClosed()
        let failing = Mutex(false)
        var store = try open { operation in
            operation.kind == .read && failing.withLock { $0 } ? .fail(.inputOutput) : .proceed
        }
        failing.withLock { $0 = true }
        #expect(#expect(throws: StoreError.self) { try store.checkIfDue(stamp) }?.code == .inputOutput)
        failing.withLock { $0 = false }
        try store.checkChangeable()
        try store.close(stamp: stamp)
        store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        #expect(store.store.check == .passed)
        #expect(store.opening == StoreOpening())
    }
}
