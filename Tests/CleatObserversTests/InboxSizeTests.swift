import CleatAPI
import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatObservers

/// Counts the reports of many files, without keeping the events.
private final class Census: Sendable {
    private struct State {
        /// The number of reports of each file, by its number.
        var told: [UInt8]
        var others: [String] = []
        var lost = 0
        var total = 0
        var unrestored = 0
    }
    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(told: [UInt8](repeating: 0, count: count))) }

    var total: Int { state.withLock { $0.total } }

    func take(_ delivery: EventDelivery) {
        state.withLock { state in
            switch delivery {
            case .lost(let count): state.lost += count
            case .event(let event):
                state.total += 1
                if !event.restored { state.unrestored += 1 }
                // “42”, or “d3/42”.
                let number = event.subject.split(separator: "/").last.flatMap { Int($0) }
                if let number, state.told.indices.contains(number) {
                    state.told[number] = min(state.told[number], 254) + 1
                } else {
                    state.others.append(event.subject)
                }
            }
        }
    }

    /// The errors, if every file should have been reported once, as one that was there at startup.
    var wrong: [String] {
        state.withLock { state in
            var wrong = state.others.map { "\($0) was told" }
            let missing = state.told.count { $0 == 0 }
            if missing > 0 { wrong.append("\(missing) were not told") }
            let doubled = state.told.count { $0 > 1 }
            if doubled > 0 { wrong.append("\(doubled) were told more than once") }
            if state.lost > 0 { wrong.append("\(state.lost) were lost") }
            if state.unrestored > 0 { wrong.append("\(state.unrestored) were not told as there before") }
            return wrong
        }
    }
}

@Suite("The inbox with very many files at startup", .tags(.board))
struct InboxSizeTests {
    /// The number of files; `CLEAT_TEST_INBOX_FILES` sets another one.
    static let count = TestMachine.number("CLEAT_TEST_INBOX_FILES") ?? (TestMachine.slowness > 1 ? 2_000 : 10_000)

    /// In a process of its own: what other tests take in memory would count, too.
    @Test("Each of many thousands of files is reported once, in memory that grows by some bytes a file")
    func manyFiles() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try await withLoop { loop in
                    let count = InboxSizeTests.count
                    let directory = try TemporaryDirectory()
                    var make = ChildCommand(
                        "/bin/mkdir", ["-p"] + (0..<4).map { directory.appending("files/inbox/d\($0)") })
                    make.environment = ["LC_ALL": "C"]
                    try #require(try await loop.run(make).isSuccess)
                    try InboxSizeTests.fill(directory, count)
                    let census = Census(count)
                    let bus = EventBus(bootID: "boot")
                    // Much less than there are: who follows has its turn between slices, or loses some.
                    let events = bus.subscribe(buffer: 256)
                    loop.task {
                        while let delivery = await events.next() { census.take(delivery) }
                    }
                    let before = try #require(ProcessMemory.current()).privateBytes
                    let most = Mutex((turns: 0, bytes: before))
                    let observer = InboxObserver(
                        loop: loop, bus: bus, base: directory.path,
                        pace: {
                            most.withLock { most in
                                most.turns += 1
                                guard most.turns.isMultiple(of: 64) else { return }
                                most.bytes = max(most.bytes, ProcessMemory.current()?.privateBytes ?? 0)
                            }
                        })
                    let task: Task<Void, any Error> = loop.task { try await observer.run() }
                    await observer.waitUntilReady()
                    let told = try await loop.eventually {
                        guard await observer.isIdle else { return false }
                        return census.total >= count
                    }
                    try #require(told, "\(census.total) were told")
                    // A second scan of all files reports none again.
                    await observer.scanAll(.overflow)
                    let looked = try await loop.eventually { await observer.isIdle }
                    try #require(looked)
                    try #require(census.wrong.isEmpty, "\(census.wrong)")
                    let counters = await observer.counts
                    try #require(counters.arrived == count && counters.unremembered == 0, "\(counters)")
                    let growth = most.withLock { $0.bytes } - before
                    // Some dozens of bytes a file are remembered, and what is kept for replay is as much however many there
                    // are. An emulator's own memory would count as well.
                    try #require(TestMachine.slowness > 1 || growth < (1 << 20) + 150 * count, "\(growth) bytes more")
                    task.cancel()
                    _ = try? await task.value
                    bus.close()
                }
            }
        }
    }

    @Test("As many files as may be are remembered in a moment, while others read their directory")
    func rememberingMany() throws {
        let limit = InboxLimits().remembered
        var tree = InboxTree(rememberedFiles: limit)
        let node = tree.insert(try InboxDirectory(path: "/"), watch: 1)
        let began = BootTime.now()
        for number in 0..<limit {
            let held = tree[node]
            let isKnown = tree.remember(number, version: 2 * number, expectsClose: false, in: node)
            try #require(isKnown && held?.watch == 1)
        }
        // Where each one is a copy of all that are known this takes far longer.
        #expect(BootTime.now() < began.advanced(by: .seconds(20).onThisMachine))
        let isOneMoreKnown = tree.remember(limit, version: 0, expectsClose: false, in: node)
        #expect(!isOneMoreKnown)
        #expect(tree.known(limit - 1, in: node) == InboxTree.KnownFile(version: 2 * (limit - 1), expectsClose: false))
        tree.forgetFiles(except: [0, limit - 1, limit], in: node)
        #expect(tree.remembered == 2 && tree.known(1, in: node) == nil)
        let watches = tree.remove(node)
        #expect(watches == [1] && tree.remembered == 0 && tree.known(0, in: node) == nil)
    }

    /// Makes that many files, most of them in the inbox itself.
    private static func fill(_ directory: TemporaryDirectory, _ count: Int) throws {
        for number in 0..<count {
            let place = number.isMultiple(of: 5) ? "d\(number / 5 % 4)/\(number)" : "\(number)"
            let file = try FileDescriptor.open(
                directory.path.appending("files/inbox/" + place), .writeOnly, options: [.create, .exclusiveCreate],
                permissions: .ownerReadWrite)
            // An empty file that is young may be one that is just being made.
            _ = try file.closeAfter { try file.writeAll([1]) }
        }
    }
}
