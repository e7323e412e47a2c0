import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

/// Tests that readable settings are served from memory if the storage fails, and nothing is changed.
@Suite(.tags(.board)) final class FallbackTests {
    let directory: TemporaryDirectory
    let place: TemporaryDirectory
    let executor = ThreadExecutor(name: "store")

    init() throws {
        directory = try TemporaryDirectory()
        place = try TemporaryDirectory()
    }

    deinit { executor.shutdown() }

    var main: String { directory.appending("settings.db") }

    /// The error of a storage that fails at a read.
    func failure() throws -> StoreError {
        let failing: StorageHook = { $0.kind == .read && $0.offset >= 100 ? .fail(.inputOutput) : .proceed }
        let error = #expect(throws: StoreError.self) {
            try StoreFile(directory: self.directory.path, stamp: stamp, limits: smallLimits, hook: failing)
        }
        return try #require(error)
    }

    func fallback(_ cause: StoreError) throws -> StoreFile {
        try StoreFile.fallback(for: directory.path, in: place.path, because: cause, stamp: stamp, limits: smallLimits)
    }

    @Test func aStoreThatCannotBeOpenedIsReadFromMemoryAndLeftAlone() async throws {
        _ = try makeStoreWithCopy(in: directory)
        let before = try contents(in: directory.path.string)
        let cause = try failure()
        #expect(cause.code == .inputOutput && cause.isOfStorage)
        // What an earlier one has left goes.
        try write([1, 2, 3], to: place.appending("settings.db"))
        try write([1, 2, 3], to: place.appending("quarantined-once.db"))
        var file: StoreFile? = try fallback(cause)
        let store = try #require(file)
        #expect(
            try store.values
                == ["system/hostname": "acknowledged"].merging(["list": [1, 2], "odd/~0~1\"": 0.5]) { $1 })
        #expect(store.generation.generation == 3)
        #expect(!store.opening.isFailsafe && store.opening.quarantined.isEmpty && store.opening.restored == nil)
        #expect(store.opening.fallback == StoreOpening.Fallback(cause: cause.description, unread: []))
        #expect(store.opening.notes.first == cause.description && store.opening.notes.count == 2)
        #expect(try names(in: place.path.string).allSatisfy { !$0.hasPrefix("quarantined") })
        // A second instance gets neither.
        for path in [directory.path, place.path] {
            let error = #expect(throws: StoreError.self) { try StoreFile(directory: path, stamp: stamp) }
            #expect(error?.code == .inUse)
        }
        let error = #expect(throws: StoreError.self) { try self.fallback(cause) }
        #expect(error?.code == .inUse)
        #expect(store.copies.delay(bootID: "boot-z", bootTime: 1 << 40) == nil)
        try store.close(stamp: stamp)
        file = nil
        #expect(try contents(in: directory.path.string) == before)
    }

    @Test func everyChangeIsRefusedWithTheCauseAndRemembersOnlyTheSystem() async throws {
        _ = try makeStoreWithCopy(in: directory)
        let cause = try failure()
        let store = try await SettingsStore.fallback(
            for: directory.path, in: place.path, because: cause, executor: executor, stamp: stamp)
        let changes: [(String, () async throws -> Void)] = [
            ("commit", { _ = try await store.commit(try request("one", [("a", 1)])) }),
            ("arm", { _ = try await store.arm(try request("two", [("a", 1)]), TrialRequest(window: 1000)) }),
            ("confirm", { _ = try await store.confirm(id: "two") }),
            ("extend", { try await store.extend(to: deadline(2000)) }),
            (
                "snapshot",
                {
                    _ = try await store.createSnapshot(
                        SnapshotRequest(
                            name: "s", generation: GenerationRef(store: "", generation: 3), resources: [],
                            author: "tester", comment: nil, stamp: stamp))
                }
            ),
            ("delete", { _ = try await store.deleteSnapshot("s") }),
        ]
        for (name, change) in changes {
            let error = await #expect(throws: StoreError.self, "\(name)") { try await change() }
            #expect(error?.code == cause.code && error?.subject == cause.subject, "\(name): \(error as Any)")
            #expect(error?.description.contains(cause.description) == true, "\(name): \(error as Any)")
        }
        #expect(try await store.snapshot().generation.generation == 3)
        // What the system is made at the start is known for as long as the service runs.
        let print = StoredFingerprint(resource: "r", adapter: "a", wanted: "w", found: "f")
        try await store.remember([print], origins: [memento("r")])
        #expect(try await store.fingerprints() == [print])
        try await store.close(stamp)
        let whole = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        #expect(try whole.resources.fingerprints().isEmpty)
        #expect(try whole.values["system/hostname"] == "acknowledged")
    }

    @Test func withoutTheMainFileTheSecondCopyIsTakenAndWithoutBothThereIsNothing() throws {
        let former = try makeStoreWithCopy(in: directory)
        // A directory is not a readable file, whatever the caller's rights.
        for name in ["settings.db", "settings.db-wal"] { try DirectoryListing.remove(directory.appending(name)) }
        try DirectoryListing.makeDirectory(main)
        let cause = StoreError(.inputOutput, main, "The device failed.")
        var store: StoreFile? = try fallback(cause)
        #expect(store?.opening.restored == GenerationRef(store: former.store, generation: 2))
        #expect(try store?.values["system/hostname"] == "copied")
        #expect(store?.opening.isFailsafe == false && store?.opening.fallback?.unread.count == 1)
        #expect(store?.opening.notes.last?.hasSuffix("files that could not be opened.") == true)
        store = nil

        try DirectoryListing.remove(directory.appending("settings.copy.json"))
        try DirectoryListing.makeDirectory(directory.appending("settings.copy.json"))
        store = try fallback(cause)
        #expect(store?.opening.isFailsafe == true && store?.opening.fallback?.unread.count == 2)
        #expect(try store?.values.isEmpty == true)
        #expect(store?.opening.notes.last?.hasPrefix("Neither the settings nor a second copy") == true)
        store = nil

        // Nor is there a directory.
        try write([], to: directory.appending("file"))
        let missing = directory.path.appending("file").appending("x")
        let nowhere = try StoreFile.fallback(for: missing, in: place.path, because: cause, stamp: stamp)
        #expect(nowhere.opening.isFailsafe && nowhere.opening.fallback?.unread.count == 1)
    }

    @Test func aLogThatCannotBeReadIsNotLeftOut() throws {
        _ = try makeStoreWithCopy(in: directory)
        let log = directory.appending("settings.db-wal")
        try DirectoryListing.remove(log)
        try DirectoryListing.makeDirectory(log)
        let store = try fallback(StoreError(.inputOutput, main, "The device failed."))
        // The main file alone would pass for all that there was.
        #expect(store.opening.restored?.generation == 2)
        #expect(try names(in: place.path.string).contains("settings.copy.json"))
    }

    @Test func aFileThatIsTooLargeForMemoryIsNotTaken() throws {
        _ = try makeStoreWithCopy(in: directory)
        let file = try FileDescriptor.open(FilePath(main), .writeOnly)
        try file.closeAfter { try file.resize(to: StoreLimits.fallbackBytes + 1) }
        let store = try fallback(StoreError(.inputOutput, main, "The device failed."))
        #expect(store.opening.restored?.generation == 2)
        let unread = try #require(store.opening.fallback?.unread.first)
        #expect(unread.contains(main) && unread.contains("\(StoreLimits.fallbackBytes + 1)"), "\(unread)")
    }
}
