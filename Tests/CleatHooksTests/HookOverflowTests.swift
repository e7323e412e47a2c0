import CleatAPI
import CleatIO
import CleatObservers
import CleatTestSupport
import Testing

@testable import CleatHooks

@Suite("Subjects beyond the queue", .tags(.board), .timeLimit(.minutes(2 * TestMachine.slowness)))
struct HookOverflowTests {
    private static let count = 60

    /// Offers events of many subjects to a hook whose queue holds eight, and returns the lines of its runs, once they
    /// are as expected and nothing waits or runs any more.
    private func lines(
        _ filter: HookFilter, _ inventory: HookRunner.Inventory?,
        until isDone: @escaping @Sendable (_ lines: [String]) -> Bool
    ) async throws -> (lines: [String], counters: HookCounters) {
        let directory = try TemporaryDirectory()
        @Sendable func lines() -> [String] {
            ((try? directory.read("runs")) ?? "").split(separator: "\n").map(String.init)
        }
        let counters = try await withLoop { loop in
            let runner = Bench(loop: loop).runner([Self.hook(directory.appending("runs"), filter: filter)]) {
                $0.entries = 8
                $0.concurrency = 2
            }
            if let inventory { await runner.follow(inventory) }
            for number in 0..<Self.count {
                await runner.handle(
                    .make("e\(number)", action: "add", sequence: Int64(number + 1), properties: ["STATE": "old"]))
            }
            let hasEnded = try await loop.eventually {
                let totals = await runner.totals
                let busy = totals.filter { $0.name == "hooks.waiting" || $0.name == "hooks.running" }
                return isDone(lines()) && busy.allSatisfy { $0.value == 0 }
            }
            #expect(hasEnded)
            let counters = await runner.counters(of: "hook")
            await runner.shutdown()
            return counters
        }
        return (lines(), counters)
    }

    private static func hook(_ file: String, filter: HookFilter) -> Hook {
        .make(
            run: ["/bin/sh", "-c", "echo $CLEAT_ACTION $CLEAT_SUBJECT $STATE >>\(file)"], filter: filter)
    }

    /// The present subjects: all but the last one, in pages.
    private static let present: HookRunner.Inventory = { source, after in
        guard source == .link else { return InventoryPage() }
        let start = after.flatMap { Int($0) } ?? 0
        let end = min(start + 7, count - 1)
        return InventoryPage(
            items: (start..<end).map { ("e\($0)", ["STATE": "new"]) }, next: end == count - 1 ? nil : "\(end)")
    }

    @Test("Each subject runs once, those that did not fit with their present states; one that is gone has none")
    func all() async throws {
        let (lines, counters) = try await lines(HookFilter(), Self.present) { $0.count == Self.count }
        #expect(Set(lines.compactMap { $0.split(separator: " ").dropFirst().first }).count == Self.count)
        #expect(lines.count == Self.count && counters.dropped == 0 && counters.deferred > 40)
        #expect(lines.count { $0.hasSuffix(" old") } == Self.count - Int(counters.deferred))
        #expect(lines.count { $0.hasSuffix(" new") } == Int(counters.deferred) - 1)
        #expect(lines.contains("add e\(Self.count - 1)"))
    }

    @Test("A source without present subjects is delivered by its subjects alone")
    func withoutInventory() async throws {
        let (lines, counters) = try await lines(HookFilter(), nil) { $0.count == Self.count }
        #expect(lines.count == Self.count && lines.count { !$0.hasSuffix(" old") } == Int(counters.deferred))
    }

    @Test("A state that does not match any more runs nothing")
    func excluded() async throws {
        let filter = HookFilter(properties: [.init(name: "STATE", pattern: try HookPattern("old"))])
        // The last subject, which is gone, is the last run.
        let (lines, counters) = try await lines(filter, Self.present) { $0.contains("add e\(Self.count - 1)") }
        #expect(lines.allSatisfy { $0.hasSuffix(" old") || $0 == "add e\(Self.count - 1)" })
        #expect(lines.count == Self.count - Int(counters.deferred) + 1)
    }

    @Test("Newer events take the place of kept ones; the memory for subjects is bounded")
    func ledger() {
        var overflow = HookOverflow()
        func add(_ event: EventRecord) -> Bool { overflow.add(event, to: "h") }
        #expect(add(.make("a", action: "add", sequence: 1)))
        #expect(add(.make("a", action: "remove", sequence: 2)))
        let key = HookQueue.Key(hook: "h", subject: "a")
        #expect(overflow.entries.count == 1 && overflow.entries[key]?.action == "remove")
        #expect(add(.make("b", source: .device)))
        #expect(overflow.sources == [.device, .link])
        overflow.removeAll(except: ["other"])
        #expect(overflow.isEmpty)
        let long = String(repeating: "x", count: 900)
        var added = 0
        while added < 100_000, add(.make("\(long)\(added)")) { added += 1 }
        #expect((7_000...9_000).contains(added))
        #expect(add(.make("\(long)1", sequence: 9)), "one that is known fits")
        overflow.remove(HookQueue.Key(hook: "h", subject: "\(long)1"))
        #expect(add(.make("\(long)y")))
        overflow = HookOverflow()
        for number in 0..<HookOverflow.limit.entries { _ = add(.make("\(number)")) }
        #expect(!add(.make("one more")))
        #expect(add(.make("7")))
    }
}
