import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore
import CleatTestSupport
import CleatVarlink
import SystemPackage
import Testing

@testable import CleatAgent

/// The watchers of settings, without a process.
@Suite(.timeLimit(.minutes(2 * TestMachine.slowness))) struct WatcherRegistryTests {
    private static func path(_ text: String) throws -> SettingPath { try SettingPath(text) }

    @Test("A watcher is notified of what it covers, and of a path only once, with the number of commits")
    func notified() async throws {
        var registry = WatcherRegistry()
        let all = registry.add([])
        let names = registry.add([try Self.path("system"), try Self.path("app/value")])
        registry.notify([try Self.path("system/hostname"), try Self.path("app/count")])
        registry.notify([try Self.path("system/hostname")])
        registry.notify([try Self.path("app/count")])
        let first = try #require(await names.next())
        #expect(first.paths == [try Self.path("system/hostname")] && first.commits == 2)
        let second = try #require(await all.next())
        #expect(second.paths?.count == 2 && second.commits == 3)
    }

    @Test("Watchers that get all of one change share the place for its reply")
    func shared() async throws {
        var registry = WatcherRegistry()
        let both = [registry.add([]), registry.add([try Self.path("app"), try Self.path("system")])]
        let some = registry.add([try Self.path("app")])
        let late = registry.add([])
        registry.notify([try Self.path("app/value")])
        _ = await late.next()
        registry.notify([try Self.path("app/count"), try Self.path("system/hostname")])
        // Two changes in one notice have no replies in common with others, and neither has a part of one.
        for watcher in both { #expect(await watcher.next()?.replies == nil) }
        #expect(await some.next()?.replies == nil)
        #expect(await late.next()?.replies != nil)
        registry.notify([try Self.path("app/count"), try Self.path("system/hostname")])
        let replies = try #require(await both[0].next()?.replies)
        #expect(await both[1].next()?.replies === replies)
        #expect(await some.next()?.replies == nil)
        // Only for the state that it was written for, and only if it is small.
        #expect(replies[7] == nil)
        replies.keep(["value": "x"], at: 7)
        #expect(try replies[7]?.parameters == ["value": "x"] && replies[8] == nil)
        let large = ChangeReplies()
        large.keep(["value": .string(String(repeating: "x", count: 16_384))], at: 7)
        #expect(large[7] == nil)
    }

    @Test("A watcher that was removed gets what it had, and then its end")
    func removed() async throws {
        var registry = WatcherRegistry()
        let watcher = registry.add([])
        registry.notify([try Self.path("app/count")])
        registry.remove(watcher)
        registry.notify([try Self.path("app/value")])
        #expect(await watcher.next()?.paths == [try Self.path("app/count")])
        #expect(await watcher.next() == nil)
        // A second time does no harm.
        registry.remove(watcher)
    }

    @Test("More paths than a watcher keeps are sent as the whole state", arguments: [(1_024, true), (1_025, false)])
    func dropped(count: Int, isKept: Bool) async throws {
        var registry = WatcherRegistry()
        let watcher = registry.add([])
        registry.notify(try (0..<count).map { try Self.path("app/table/k\($0)") })
        registry.notify([try Self.path("app/table/k0")])
        let notice = try #require(await watcher.next())
        #expect((notice.paths != nil) == isKept && notice.commits == 2)
    }

    @Test("A waiting watcher continues with a notice, with its end, and with its cancellation")
    func waiting() async throws {
        try await withLoop { loop in
            let watchers = (0..<3).map { _ in SettingsWatcher(prefixes: []) }
            let tasks = watchers.map { watcher in loop.task { await watcher.next()?.commits } }
            await loop.yield()
            watchers[0].note([try Self.path("app/count")], ChangeReplies())
            watchers[1].finish()
            tasks[2].cancel()
            var found: [Int?] = []
            for task in tasks { found.append(await task.value) }
            #expect(found == [1, nil, nil])
        }
    }

    @Test("A change, its trial and its revert notify watchers; the whole state comes in pages")
    func engine() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let watcher = bench.live.watchers.add([try Self.path("system/hostname"), try Self.path("app")])
            try await bench.set("tried", id: "t", confirm: 60_000)
            #expect(await watcher.next()?.paths == [try Self.path("system/hostname")])
            let pending = SettingsQueries(bench.live).changed([try Self.path("system/hostname")])
            #expect(pending.map(\.settings.first?.pending) == ["t"])
            _ = try await bench.runner.confirm("t")
            #expect(await watcher.next()?.paths == [try Self.path("system/hostname")], "it is not on trial any more")
            try await bench.make(
                .init(changes: (0..<300).map { .init(path: "app/table/k\($0)", value: "v") }))
            #expect(await watcher.next()?.paths?.count == 300)
            let queries = SettingsQueries(bench.live)
            let page = queries.watched(by: watcher, after: nil)
            #expect(page.reply.initial && page.reply.settings.count == SettingsQueries.pageSize && page.next != nil)
            let rest = queries.watched(by: watcher, after: page.next)
            #expect(rest.next == nil && rest.reply.settings.contains { $0.path == "system/hostname" })
            #expect(queries.changed([try Self.path("app/count")]).map(\.removed) == [["app/count"]])
            await #expect(throws: APIError.self) { try await bench.engine.watch([try Self.path("nowhere")]) }
        }
    }
}
