import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatStore

@Suite(.tags(.board)) struct CopyTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func open() throws -> StoreFile {
        try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
    }

    func at(_ bootTime: Int64, boot: String = "boot-a") -> CommitStamp {
        CommitStamp(time: 0, bootID: boot, bootTime: bootTime, synchronised: false)
    }

    static let hour: Int64 = 3_600_000

    /// A state of the copy on the device, of failures and of the clock, and its effect on the next copy.
    struct Case: Sendable {
        var last: Int64?
        var lastBoot = "boot-a"
        var lastGeneration: Int64 = 4
        var failed: Int64?
        var now: Int64
        var generation: Int64 = 5
        var delay: Int64?
    }

    @Test(arguments: [
        Case(last: nil, now: 5, delay: 0),
        Case(last: nil, now: 5, generation: 0, delay: nil),
        Case(last: 1000, now: 1000, delay: hour),
        Case(last: 1000, now: hour, delay: 1000),
        Case(last: 1000, now: hour + 1000, delay: 0),
        Case(last: 1000, lastGeneration: 5, now: 9 * hour, delay: nil),
        Case(last: 1000, lastBoot: "boot-b", now: 2000, delay: hour - 2000),
        Case(last: 9 * hour, lastBoot: "boot-b", now: hour, delay: 0),
        Case(last: 5000, now: 4000, delay: hour - 4000),
        Case(last: nil, failed: 1000, now: 2000, delay: hour - 1000),
        Case(last: 1000, failed: hour + 1000, now: hour + 2000, delay: hour - 1000),
        Case(last: .max, now: .max, delay: hour),
    ])
    func aCopyIsWrittenAtMostOnceAnHour(example: Case) {
        var policy = CopyPolicy(interval: Self.hour)
        policy.last = example.last.map {
            SecondCopy.Header(
                generation: GenerationRef(store: "s", generation: example.lastGeneration), bootID: example.lastBoot,
                bootTime: $0)
        }
        policy.failed = example.failed
        let delay = policy.delay(
            for: GenerationRef(store: "s", generation: example.generation), bootID: "boot-a", bootTime: example.now)
        #expect(delay == example.delay)
    }

    @Test func aCopyOfAnotherStoreIsStale() {
        var policy = CopyPolicy(interval: Self.hour)
        policy.last = SecondCopy.Header(
            generation: GenerationRef(store: "s", generation: 5), bootID: "boot-a", bootTime: 0)
        #expect(policy.delay(for: GenerationRef(store: "t", generation: 5), bootID: "boot-a", bootTime: Self.hour) == 0)
    }

    @Test func theCopyHoldsTheSettingsAndTheGeneration() throws {
        let store = try open()
        #expect(try !store.copies.writeIfDue(at(1)))
        try store.set(("b", ["x": 1]), ("a/b", "q\"\n"), ("c", 0.1))
        #expect(try store.copies.writeIfDue(at(1)))
        let text = try directory.read("settings.copy.json")
        var copy = try #require(try JSONReader.read(text).objectValue)
        #expect(copy.removeValue(forKey: "sha256")?.stringValue?.utf8.count == 64)
        #expect(
            copy == [
                "cleat": "settings", "format": 1, "store": .string(store.generation.store), "generation": 1,
                "boot_id": "boot-a", "boot_time": 1, "settings": ["a/b": "q\"\n", "b": ["x": 1], "c": 0.1],
            ])
        #expect(try DirectoryListing.mode(directory.appending("settings.copy.json")) == 0o600)
        #expect(try !store.copies.writeIfDue(at(Self.hour * 2)), "nothing has changed since")
        try store.set(("c", nil))
        #expect(try !store.copies.writeIfDue(at(Self.hour)))
        #expect(store.copies.delay(bootID: "boot-a", bootTime: Self.hour) == 1)
        #expect(try store.copies.writeIfDue(at(Self.hour + 1)))
        #expect(try store.statistics().copiedGeneration == 2)
    }

    @Test func theIntervalHoldsAcrossRestarts() throws {
        var store = try open()
        try store.set(("a", 1))
        #expect(try store.copies.writeIfDue(at(1000)))
        try store.set(("a", 2))
        try store.close(stamp: nil)
        store = try open()
        #expect(store.copies.delay(bootID: "boot-a", bootTime: 2000) == Self.hour - 1000)
        #expect(store.copies.delay(bootID: "boot-b", bootTime: 2000) == Self.hour - 2000)
    }

    @Test func aCleanStopWritesAStaleCopyAndNoOther() throws {
        var store = try open()
        try store.close(stamp: at(1))
        #expect(try names(in: directory.text) == ["settings.db", "settings.db-wal", "settings.newest"])
        store = try open()
        try store.set(("a", 1))
        try store.copies.writeIfDue(at(1))
        try store.set(("a", 2))
        try store.close(stamp: at(2))
        #expect(try directory.read("settings.copy.json").contains("\"generation\":2"))
        let content = try bytes(directory.appending("settings.copy.json"))
        store = try open()
        try store.close(stamp: at(3))
        #expect(try bytes(directory.appending("settings.copy.json")) == content)
    }

    @Test func anEmptyStoreHasACopyToo() throws {
        let store = try open()
        try store.set(("a", 1))
        try store.set(("a", nil))
        try store.close(stamp: at(1))
        let (copy, _) = SecondCopy.read(try bytes(directory.appending("settings.copy.json")))
        #expect(copy?.settings.isEmpty == true)
        #expect(copy?.header.generation.generation == 2)
    }

    @Test func tenThousandSettingsComeBackFromTheCopy() throws {
        do {
            let store = try open()
            _ = try store.commits.commit(try request("fill", (0..<10_000).map { ("many/n\($0)", .integer(Int64($0))) }))
            try store.close(stamp: at(1))
        }
        try write([], to: directory.appending("settings.db"))
        let store = try open()
        #expect(try store.settings.state().settings.count == 10_000)
        #expect(try store.values["many/n9999"] == 9999)
        #expect(try store.statistics().settings == 10_000)
    }

    @Test func aCopyThatCannotBeWrittenHarmsNothing() throws {
        let store = try open()
        try store.set(("a", 1))
        try DirectoryListing.makeDirectory(directory.appending("settings.copy.json"))
        let error = #expect(throws: StoreError.self) { try store.copies.writeIfDue(at(1)) }
        #expect(error?.code == .copyFailed)
        #expect(try !store.copies.writeIfDue(at(2)), "the next try waits")
        #expect(try store.set(("a", 2)) == 2)
        #expect(throws: StoreError.self) { try store.close(stamp: at(3)) }
        #expect(throws: StoreError.self) { try store.set(("a", 3)) }
    }
}
