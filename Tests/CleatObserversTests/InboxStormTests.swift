import CleatAPI
import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatObservers

@Suite("The inbox under storms, lost events and limits", .tags(.board), .serialized)
struct InboxStormTests {
    /// The number of files that arrive at once; fewer on a slow machine.
    private static let size = TestMachine.slowness > 1 ? 2_000 : 10_000
    private static let burst = "i=0; while [ $i -lt \(size) ]; do echo $i >files/inbox/$i; i=$((i + 1)); done"

    @Test("Each of thousands of files in a burst is reported once, and other tasks have their turns")
    func burst() async throws {
        try await InboxBoard.following { board in
            let turns = Mutex(0)
            let others = board.loop.task {
                while !Task.isCancelled {
                    turns.withLock { $0 += 1 }
                    await board.loop.yield()
                }
            }
            try await board.script(Self.burst)
            let subjects = try await board.settled().map(\.subject)
            others.cancel()
            await others.value
            #expect(subjects.count == Self.size)
            #expect(Set(subjects) == Set((0..<Self.size).map { String($0) }))
            // At most a slice of names or events is processed between two turns of another task.
            #expect(turns.withLock { $0 } >= Self.size / InboxLimits().slice)
        }
    }

    @Test("More events than the kernel keeps, without a reader: each file is reported once")
    func fullQueue() async throws {
        let calls = FaultyWatchCalls()
        try await InboxBoard.following(calls: calls) { board in
            let observer = try board.observer
            try await board.script(
                "mkdir -p files/inbox/old/er; echo 1 >files/inbox/old/er/before; echo 1 >files/inbox/gone")
            #expect(try await board.settled().map(\.subject).sorted() == ["gone", "old/er/before"])
            board.forget()
            try await board.meanwhile {
                try await board.script(
                    """
                    mv files/inbox/old files/inbox/new; rm files/inbox/gone
                    \(Self.burst)
                    mkdir files/inbox/late; echo 1 >files/inbox/late/file; echo 1 >files/inbox/new/er/file
                    """)
                // 20,000 events do not fit where the limit is the usual 16,384; where they do, they are lost here.
                let limit = try contents(of: "/proc/sys/fs/inotify/max_queued_events").filter(\.isNumber)
                if (Int(limit) ?? 0) >= 2 * Self.size { calls.loseEvents() }
            }
            let events = try await board.settled()
            let expected = (0..<Self.size).map { String($0) } + ["late/file", "new/er/before", "new/er/file"]
            #expect(events.map(\.subject).sorted() == expected.sorted())
            #expect(events.contains { $0.properties["CLEAT_RESYNC"] == "1" })
            let counters = await observer.counts
            #expect(counters.overflows >= 1 && counters.directories == 4 && counters.unremembered == 0)
        }
    }

    @Test(
        "After lost events only the difference is reported, whatever was done", arguments: 1...6 as ClosedRange<UInt64>)
    func differences(seed: UInt64) async throws {
        let calls = FaultyWatchCalls()
        try await InboxBoard.following(calls: calls) { board in
            var random = SeededGenerator(seed: seed)
            var model = InboxModel()
            for _ in 0..<12 {
                let script = (0..<Int.random(in: 1...25, using: &random)).map { _ in model.step(using: &random) }
                    .joined(separator: "\n")
                let isLosing = Bool.random(using: &random)
                if Bool.random(using: &random) {
                    try await board.meanwhile {
                        try await board.script("cd files/inbox\n" + script)
                        if isLosing { calls.loseEvents() }
                    }
                } else {
                    if isLosing { calls.loseEvents() }
                    try await board.script("cd files/inbox\n" + script)
                }
                _ = try await board.settled()
                // The kernel reports that a file is closed before it counts as closed for writing: the second scan
                // reports a file that was checked in between.
                let (files, told) = (model.files, script)
                try await board.eventually("all was told as it is, seed \(seed): \(told)") {
                    let last = Dictionary(board.events.map { ($0.subject, $0.properties["SIZE"]) }) { $1 }
                    return files.allSatisfy { last[$0.key] == String($0.value) }
                }
                let events = board.events.filter { !$0.subject.hasPrefix("fence-") }
                // Every write has a size of its own; no path is reported more often than a file arrived there.
                var last: [String: String] = [:]
                var counts: [String: Int] = [:]
                for event in events {
                    let size = event.properties["SIZE"] ?? ""
                    last[event.subject] = size
                    counts[event.subject, default: 0] += 1
                }
                for (path, size) in model.files {
                    #expect(last[path] == String(size), "seed \(seed): \(path) of \(size) bytes; \(script)")
                }
                let twice = counts.filter { $0.value > model.arrivals[$0.key, default: 0] }
                let how = events.filter { twice[$0.subject] != nil }.map { "\($0.subject): \($0.properties)" }
                #expect(twice.isEmpty, "seed \(seed): told too often: \(how.joined(separator: ", ")); \(script)")
                #expect(try await board.observer.counts.directories == model.directories.count + 1)
            }
        }
    }

    @Test("A storm is remembered up to a bound, and the remaining files are counted")
    func bounded() async throws {
        var limits = InboxLimits()
        limits.remembered = 10
        let calls = FaultyWatchCalls()
        try await InboxBoard.following(limits: limits, calls: calls) { board in
            try await board.script("for i in 0 1 2 3 4 5 6 7 8 9 a b c d; do echo 1 >files/inbox/$i; done")
            #expect(try await board.settled().count == 14)
            let observer = try board.observer
            // The fence is remembered for a moment, too, or not.
            #expect(await observer.counts.unremembered >= 4)
            #expect(await observer.contents.tree.remembered <= 10)
            try await board.script("rm files/inbox/?")
            _ = try await board.settled()
            #expect(await observer.contents.tree.remembered <= 1)
        }
    }

    @Test("Directories beyond the limits are reported and counted; a removed one makes space for a skipped one")
    func directoryLimits() async throws {
        var limits = InboxLimits()
        limits.directories = 3
        try await InboxBoard.following(limits: limits) { board in
            let observer = try board.observer
            try await board.script("for d in a b c d; do mkdir files/inbox/$d; echo 1 >files/inbox/$d/file; done")
            #expect(try await board.settled().map(\.subject) == ["a/file", "b/file"])
            #expect(await observer.counts.unwatched == 2)
            #expect(await observer.counts.directories == 3)
            #expect(await observer.problem?.utf8.contains(UInt8(ascii: "3")) == true)
            #expect(board.notices.filter(\.isProblem).count == 1)
            board.forget()
            // The permanently skipped one is removed first: otherwise it could take the space as well as the other.
            try await board.script("rm -r files/inbox/d files/inbox/a")
            #expect(try await board.settled().map(\.subject) == ["c/file"])
            #expect(await observer.problem == nil)
        }
        try await InboxBoard.following { board in
            let deep = (1...16).map { "d\($0)" }
            try await board.script("mkdir -p files/inbox/\(deep.joined(separator: "/"))")
            _ = try await board.settled()
            // A path of sixteen names is reported, one of seventeen is not.
            let last = deep.dropLast().joined(separator: "/")
            try await board.script("echo 1 >files/inbox/\(last)/d16/file; echo 1 >files/inbox/\(last)/file")
            #expect(try await board.settled().map(\.subject) == ["\(last)/file"])
            // It counts once, although a scan, its own event and a second scan find it.
            try await board.script("mkdir files/inbox/other; rmdir files/inbox/other")
            _ = try await board.settled()
            #expect(try await board.observer.counts.unwatched == 1)
        }
    }

    @Test("If the kernel allows no more watches, the existing ones continue, and the status names the limit")
    func watchLimit() async throws {
        let calls = FaultyWatchCalls()
        try await InboxBoard.following(calls: calls) { board in
            let observer = try board.observer
            calls.failWatching(.noSpace)
            try await board.script("mkdir files/inbox/a; echo 1 >files/inbox/a/lost; echo 1 >files/inbox/told")
            #expect(try await board.settled().map(\.subject) == ["told"])
            #expect(await observer.problem?.hasSuffix("raise fs.inotify.max_user_watches") == true)
            calls.failWatching(nil)
            board.forget()
            try await board.script("mkdir files/inbox/b; rmdir files/inbox/b")
            #expect(try await board.settled().map(\.subject) == ["a/lost"])
            #expect(await observer.problem == nil)
        }
        // A new inbox itself is refused: it is tried again when something happens to it.
        try await InboxBoard.following(calls: calls) { board in
            let observer = try board.observer
            calls.failWatching(.noSpace)
            try await board.script("rm -r files/inbox; mkdir files/inbox")
            try await board.eventually("it is not followed") {
                guard case .off(let reason) = await observer.state else { return false }
                return reason.contains("fs.inotify.max_user_watches")
            }
            calls.failWatching(nil)
            try await board.script("echo 1 >files/inbox/file; mv files/inbox files/other; mv files/other files/inbox")
            #expect(try await board.settled().map(\.subject) == ["file"])
            #expect(await observer.state == .watching(directories: 1))
        }
    }

    @Test(
        "Without inotify the status names the limit; the inbox is followed once the shortage has ended",
        arguments: [
            // The watches before the refusal: of the base, of `files`, of the inbox.
            (Errno.tooManyOpenFiles, 0, "raise fs.inotify.max_user_instances"),
            (.noSpace, 0, "raise fs.inotify.max_user_watches"), (.noSpace, 1, "raise fs.inotify.max_user_watches"),
            (.noSpace, 2, "raise fs.inotify.max_user_watches"),
        ])
    func shortage(_ error: Errno, after watches: Int, remedy: String) async throws {
        let calls = FaultyWatchCalls()
        if error == .noSpace { calls.failWatching(error, after: watches) } else { calls.failOpening(error) }
        var limits = InboxLimits()
        (limits.firstPause, limits.longestPause) = (.milliseconds(1), .milliseconds(4))
        try await InboxBoard.with { [limits] board in
            try await board.script("mkdir -p files/inbox; echo 1 >files/inbox/before")
            // It does not keep the service from being ready.
            let observer = try await board.start(limits: limits, calls: calls)
            let state = await observer.state
            guard case .off(let reason) = state else {
                Issue.record("the inbox is followed: \(state)")
                return
            }
            #expect(reason.contains(remedy), "\(reason)")
            try await board.eventually("it is tried again") { calls.attempts > 10 }
            #expect(board.notices.filter(\.isProblem).count == 1)
            #expect(board.events.isEmpty)
            calls.failOpening(nil)
            calls.failWatching(nil)
            let events = try await board.settled()
            // Those who did not wait, such as the import of settings, take a file that is not marked as restored.
            #expect(events.map(\.subject) == ["before"] && events.allSatisfy { !$0.restored })
            #expect(await observer.state == .watching(directories: 1))
            board.forget()
            try await board.script("echo 1 >files/inbox/after")
            #expect(try await board.settled().map(\.subject) == ["after"])
        }
    }

    @Test("A kernel without inotify ends the observer with an error")
    func noQueue() async throws {
        let calls = FaultyWatchCalls()
        calls.failOpening(.noFunction)
        try await InboxBoard.following(calls: calls) { board in
            let failure = try #require(await board.failure())
            #expect(try await board.observer.state == .off("\(failure)"))
        }
    }

    @Test(
        "Interrupted and invalid events are parsed without harm",
        arguments: 1...50 as ClosedRange<UInt64>)
    func parsing(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let bytes = random.bytes(Int.random(in: 0...200, using: &random))
        for event in WatchEvent.parse(bytes) { #expect(event.name.count <= bytes.count) }
        let name = Array("name".utf8)
        var whole: [UInt8] = []
        for word in [7, 8, 0, 16] as [UInt32] {
            unsafe withUnsafeBytes(of: word) { unsafe whole.append(contentsOf: $0) }
        }
        whole += name + [UInt8](repeating: 0, count: 12)
        let expected = WatchEvent(watch: 7, events: .closedAfterWriting, name: name)
        #expect(WatchEvent.parse(whole) == [expected])
        #expect(WatchEvent.parse(whole + whole.prefix(Int.random(in: 0..<whole.count, using: &random))) == [expected])
    }
}

/// The contents of an inbox after random steps of a shell.
private struct InboxModel {
    private(set) var files: [String: Int] = [:]
    private(set) var directories: Set<String> = []
    /// The number of arrivals at a path.
    private(set) var arrivals: [String: Int] = [:]
    private var count = 0

    /// One step, as a line of a script.
    mutating func step(using random: inout SeededGenerator) -> String {
        count += 1
        let directory = directories.sorted().randomElement(using: &random)
        let file = files.keys.sorted().randomElement(using: &random)
        let place = Bool.random(using: &random) ? directory.map { $0 + "/" } ?? "" : ""
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            // A file whose size no other has ever had.
            let path = Int.random(in: 0..<3, using: &random) == 0 ? file ?? "f\(count)" : "\(place)f\(count)"
            files[path] = count
            arrivals[path, default: 0] += 1
            return "head -c \(count) /dev/zero >\(path)"
        case 4:
            guard let file else { return ":" }
            files[file] = nil
            return "rm \(file)"
        case 5:
            guard let file else { return ":" }
            let target = "\(place)r\(count)"
            files[target] = files.removeValue(forKey: file)
            arrivals[target, default: 0] += 1
            return "mv \(file) \(target)"
        case 6...7:
            guard directories.count < 20 else { return ":" }
            directories.insert("\(place)d\(count)")
            return "mkdir \(place)d\(count)"
        case 8:
            guard let directory else { return ":" }
            let target = "m\(count)"
            func moved(_ path: String) -> String {
                path == directory || path.hasPrefix(directory + "/") ? target + path.dropFirst(directory.count) : path
            }
            files = Dictionary(uniqueKeysWithValues: files.map { (moved($0.key), $0.value) })
            directories = Set(directories.map(moved))
            for path in files.keys where path.hasPrefix(target + "/") { arrivals[path, default: 0] += 1 }
            return "mv \(directory) \(target)"
        default:
            guard let directory else { return ":" }
            files = files.filter { !$0.key.hasPrefix(directory + "/") }
            directories = directories.filter { $0 != directory && !$0.hasPrefix(directory + "/") }
            return "rm -r \(directory)"
        }
    }
}
