import CleatIO
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Tests that appended bytes are in the file as a whole or not at all, wherever the process or the power ends.
@Suite(.tags(.board)) struct AppendTests {
    static let old = Array("old content".utf8)
    static let added = Array(" and what is added".utf8)

    /// An area with a file `d/file`, whose process has ended when it came to a call, and the record that is left.
    struct Cut {
        let outside: TemporaryDirectory
        let record: String?

        var file: String { outside.appending("area/d/file") }

        init(_ kind: ResolverKind, old: [UInt8] = AppendTests.old, at call: FileCall, halfway: Bool = false) throws {
            outside = try TemporaryDirectory()
            let calls = FaultyFileCalls()
            calls.flushes = false
            let area = try TestArea(kind, calls: calls, in: outside)
            try area.files.makeDirectory(SandboxPath("d"))
            try area.files.write(old, to: SandboxPath("d/file"))
            calls.decide { made, _ in
                guard made == call else { return .works }
                calls.die()
                return halfway ? .failsHalfway(.ioError) : .fails(.ioError)
            }
            try #require(throws: SandboxError.self) {
                try area.files.append(AppendTests.added, to: SandboxPath("d/file"))
            }
            record = try area.names("d").first { $0.hasPrefix(".cleat-") }
        }

        /// Makes the file what a power cut has left of it: as long as said, with what a disk held before at its end.
        func leave(_ bytes: [UInt8]) throws {
            let file = try FileDescriptor.open(FilePath(file), .writeOnly, options: .truncate)
            _ = try file.closeAfter { try file.writeAll(bytes) }
        }

        /// Starts again, and gives what the file holds.
        func start(_ kind: ResolverKind) throws -> [UInt8] {
            let area = try TestArea(kind, in: outside)
            #expect(try area.names("d").allSatisfy { !$0.hasPrefix(".cleat-") })
            let bytes = try area.files.read(SandboxPath("d/file"), limit: 1 << 22)
            #expect(try area.root.account.usage() == AreaUsage(bytes: Int64(bytes.count), files: 2))
            // It can be gone on with.
            try area.files.append([33], to: SandboxPath("d/file"))
            #expect(try area.files.read(SandboxPath("d/file"), limit: 1 << 22) == bytes + [33])
            #expect(try area.names("d") == ["file"])
            return bytes
        }
    }

    /// Before the first byte is written it is durable that it may be there by half, and only then.
    @Test(arguments: ResolverKind.available)
    func theRecordIsDurableBeforeTheFileIsTouched(kind: ResolverKind) throws {
        let calls = FaultyFileCalls()
        let area = try TestArea(kind, calls: calls)
        try area.files.write(Self.old, to: SandboxPath("file"))
        calls.work()
        try area.files.append(Self.added, to: SandboxPath("file"))
        #expect(
            calls.made.filter(\.changes).filter { $0 != .close }
                == [.create, .flushDirectory, .write, .flush, .remove])
        #expect(try area.files.read(SandboxPath("file")) == Self.old + Self.added)
        calls.work()
        try area.files.append([], to: SandboxPath("file"))
        #expect(calls.made.allSatisfy { !$0.changes })
    }

    /// The process ends at each call there is, with each write done by half, in one piece or byte by byte.
    @Test(arguments: ResolverKind.available)
    func theEndOfTheProcessAtEachCallLeavesAllOrNothing(kind: ResolverKind) throws {
        for slice in [Int.max, 7] {
            var number = 0
            var outcomes: Set<Bool> = []
            while true {
                let outside = try TemporaryDirectory()
                let calls = FaultyFileCalls()
                calls.flushes = false
                let area = try TestArea(kind, calls: calls, in: outside)
                try area.files.write(Self.old, to: SandboxPath("file"))
                let end = number
                calls.decide { _, index in
                    guard index == end else { return .works }
                    calls.die()
                    return .failsHalfway(.ioError)
                }
                calls.slice = slice
                let failure = try code { try area.files.append(Self.added, to: SandboxPath("file")) }
                let isOver = calls.made.count <= end
                let again = try TestArea(kind, in: outside)
                let bytes = try again.files.read(SandboxPath("file"))
                #expect(
                    bytes == Self.old || bytes == Self.old + Self.added, "\(kind), call \(end): \(bytes.count) bytes")
                if failure == nil { #expect(bytes == Self.old + Self.added, "\(kind), call \(end)") }
                #expect(try again.names() == ["file"], "\(kind), call \(end)")
                #expect(try again.root.account.usage() == AreaUsage(bytes: Int64(bytes.count), files: 1))
                outcomes.insert(bytes == Self.old)
                if isOver { break }
                number += 1
            }
            #expect(number > 8 && outcomes == [true, false], "\(number) calls, \(outcomes)")
        }
    }

    /// Whatever a device has kept of the bytes and of the length, the file is the old one or the new one.
    @Test(arguments: ResolverKind.available, [AppendTests.old, [], [UInt8](repeating: 7, count: 5000)])
    func whatAPowerCutLeavesIsTakenBack(kind: ResolverKind, old: [UInt8]) throws {
        let new = old + Self.added
        var half = new
        half[new.count - 1] = 0
        let states: [(String, [UInt8], [UInt8])] = [
            ("nothing", old, old), ("a byte", Array(new.prefix(old.count + 1)), old),
            ("nearly all", Array(new.dropLast()), old), ("all", new, new), ("all but the last byte", half, old),
            ("its length only", old + [UInt8](repeating: 0, count: Self.added.count), old),
            ("zeros", old + [0, 0], old),
        ]
        for (name, left, expected) in states {
            let cut = try Cut(kind, old: old, at: .write)
            try #require(cut.record != nil)
            try cut.leave(left)
            #expect(try cut.start(kind) == expected, "\(name)")
        }
    }

    /// Each call of a start fails once: a file that cannot be checked does not count as missing, and the next start
    /// truncates it.
    @Test(arguments: ResolverKind.available)
    func aFaultWhileItIsTakenBackLeavesTheRecord(kind: ResolverKind) throws {
        var number = 0
        var refused = 0
        while true {
            let cut = try Cut(kind, at: .write)
            try cut.leave(Self.old + [32, 97])
            let calls = FaultyFileCalls()
            calls.set(.once(at: number, .ioError))
            do {
                _ = try TestArea(kind, calls: calls, in: cut.outside)
            } catch is SandboxError {
                refused += 1
            }
            #expect(try cut.start(kind) == Self.old, "call \(number)")
            if calls.failed == 0 { break }
            number += 1
        }
        #expect(refused > 3)
    }

    /// A tail that is longer than a page of the disk is read in parts.
    @Test func aLongTailIsReadInParts() throws {
        let outside = try TemporaryDirectory()
        let calls = FaultyFileCalls()
        calls.flushes = false
        let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for flipped in [nil, 150_000] as [Int?] {
            let area = try TestArea(calls: calls, in: outside)
            try area.files.write([1], to: SandboxPath("file"))
            // The record stays, and all is there.
            calls.decide { call, _ in call == .remove ? .fails(.ioError) : .works }
            try area.files.append(long, to: SandboxPath("file"))
            calls.work()
            #expect(try area.names().count == 2)
            if let flipped {
                let file = try FileDescriptor.open(FilePath(area.place("file")), .readWrite)
                _ = try file.closeAfter { try file.writeAll(toAbsoluteOffset: Int64(flipped), [0, 0, 0]) }
            }
            let again = try TestArea(in: outside)
            #expect(try again.files.attributes(of: SandboxPath("file")).size == (flipped == nil ? 200_001 : 1))
            #expect(try again.names() == ["file"])
            #expect(again.root.swept == 1)
        }
    }

    /// Other programs have changed the file since: a record does not permit the truncation of their bytes.
    @Test(arguments: ResolverKind.available)
    func whatOthersHaveWrittenIsLeft(kind: ResolverKind) throws {
        let half = Self.old + Self.added.prefix(3)
        // It is longer than it would be: another program has appended to it.
        var cut = try Cut(kind, at: .write)
        let longer = half + [UInt8](repeating: 65, count: 100)
        try cut.leave(longer)
        #expect(try cut.start(kind) == longer)
        // Shorter than it was.
        cut = try Cut(kind, at: .write)
        try cut.leave(Array(Self.old.dropLast()))
        #expect(try cut.start(kind) == Array(Self.old.dropLast()))
        // As long, but not the same file before the place of adding.
        cut = try Cut(kind, at: .write)
        var other = half
        other[0] ^= 1
        try cut.leave(other)
        #expect(try cut.start(kind) == other)
        // Another file has taken the name, with another number.
        cut = try Cut(kind, at: .write)
        try cut.outside.write("old content and", to: "area/d/new")
        try SandboxListing.rename(cut.outside.appending("area/d/new"), to: cut.file)
        #expect(try cut.start(kind) == Array("old content and".utf8))
    }

    /// A file with a second name is not changed, nor is the target of a link with the record's name.
    @Test(arguments: ResolverKind.available)
    func noLinkIsFollowed(kind: ResolverKind) throws {
        let cut = try Cut(kind, at: .write, halfway: true)
        let half = try SandboxListing.bytes(cut.file)
        #expect(half.count > Self.old.count && half.count < Self.old.count + Self.added.count)
        let record = try #require(cut.record)
        try SandboxListing.makeHardLink(cut.outside.appending("beside"), to: cut.file)
        _ = try TestArea(kind, in: cut.outside)
        #expect(try SandboxListing.bytes(cut.file) == half)
        // The record as a link to something else: it is no record.
        try SandboxListing.remove(cut.outside.appending("beside"))
        try cut.outside.write("kept", to: "other")
        try SandboxListing.makeLink(cut.outside.appending("area/d/" + record), to: "../../other")
        let area = try TestArea(kind, in: cut.outside)
        #expect(try cut.outside.read("other") == "kept")
        #expect(try SandboxListing.bytes(cut.file) == half)
        #expect(try area.names("d").sorted() == [record, "file"].sorted())
    }

    @Test func namesThatAreNoRecordsAreSwept() throws {
        let outside = try TemporaryDirectory()
        let first = try TestArea(in: outside)
        try first.files.write(Self.old, to: SandboxPath("file"))
        let most = String(UInt64.max, radix: 16)
        let names = [
            "", "x", "1-2-3-4", "1-2-3-4-5-6", "-1-2-3-4-5", "\(most)-\(most)-\(most)-\(most)-\(most)",
            "1-7fffffffffffffff-7fffffffffffffff-0-0", "1-0-0-0-g", String(repeating: "f", count: 200),
        ]
        for name in names { try outside.write("", to: "area/.cleat-append-" + name) }
        let area = try TestArea(in: outside)
        #expect(area.root.swept == names.count)
        #expect(try area.names() == ["file"])
        #expect(try area.files.read(SandboxPath("file")) == Self.old)
    }

    @Test func recordsCanBeNeitherSeenNorNamed() throws {
        let outside = try TemporaryDirectory()
        let area = try TestArea(in: outside)
        let name = ".cleat-append-1-2-3-4-5"
        try outside.write("", to: "area/" + name)
        #expect(try TextPaths(area.files).list(recursive: true).entries.isEmpty)
        #expect(try code { _ = try TextPaths(area.files).read(name) } == .badPath)
        #expect(try code { try TextPaths(area.files).delete(name) } == .badPath)
        #expect(try area.root.account.usage(recounting: true) == AreaUsage())
    }

    /// If a truncation has failed, the next change truncates first; until then nothing is appended.
    @Test(arguments: ResolverKind.available)
    func whatCouldNotBeTakenBackIsTriedAgain(kind: ResolverKind) throws {
        let calls = FaultyFileCalls()
        calls.flushes = false
        let area = try TestArea(kind, calls: calls)
        let path = try SandboxPath("file")
        try area.files.write(Self.old, to: path)
        calls.decide { call, _ in
            switch call {
            case .write: .failsHalfway(.noSpace)
            case .truncate: .fails(.ioError)
            default: .works
            }
        }
        #expect(try code { try area.files.append(Self.added, to: path) } == .noSpace)
        // Each way of failing again is a refusal that adds nothing.
        calls.decide { call, _ in call == .truncate ? .fails(.ioError) : .works }
        let error = try #require(throws: SandboxError.self) { try area.files.append([1], to: path) }
        #expect(error.code == .inputOutput && error.errno == .ioError && error.path == "file", "\(error)")
        #expect(error.operation == "append to" && error.detail?.contains("\(Errno.ioError)") == true, "\(error)")
        calls.work()
        let half = try area.files.read(path)
        #expect(half == Self.old + Self.added.prefix(half.count - Self.old.count))
        #expect(half.count > Self.old.count)
        // Another name for it is a change, too.
        try area.files.rename(path, to: SandboxPath("renamed"))
        #expect(try area.files.read(SandboxPath("renamed")) == Self.old)
        #expect(try area.names() == ["renamed"])
        try area.files.append(Self.added, to: SandboxPath("renamed"))
        #expect(try area.files.read(SandboxPath("renamed")) == Self.old + Self.added)
        #expect(try area.root.account.usage() == AreaUsage(bytes: Int64(Self.old.count + Self.added.count), files: 1))
    }

    /// A file that goes while it is being opened is made, and one that is exchanged is not taken for the other.
    @Test func aFileThatIsExchangedMeanwhileIsNotAddedTo() throws {
        let calls = FaultyFileCalls()
        let area = try TestArea(.walk, calls: calls)
        let path = try SandboxPath("file")
        try area.files.write(Self.old, to: path)
        try area.files.write([1], to: SandboxPath("other"))
        calls.decide { call, _ in
            if call == .reopen { try? SandboxListing.rename(area.place("other"), to: area.place("file")) }
            return .works
        }
        #expect(try code { try area.files.append(Self.added, to: path) } == .changed)
        #expect(try SandboxListing.bytes(area.place("file")) == [1])
        calls.decide { call, _ in
            if call == .reopen { try? SandboxListing.remove(area.place("file")) }
            return .works
        }
        try area.files.append(Self.added, to: path)
        calls.work()
        #expect(try area.files.read(path) == Self.added)
        #expect(try area.names() == ["file"])
    }

    /// Threads that add to the same files: each line is whole, none is lost, and the account exact.
    @Test func manyThreadsAddToOneFile() async throws {
        let calls = FaultyFileCalls()
        calls.flushes = false
        let area = try TestArea(calls: calls)
        let rounds = TestMachine.rounds(100, briefly: 10)
        let executors = (0..<4).map { ThreadExecutor(name: "adds-\($0)") }
        defer { for executor in executors { executor.shutdown() } }
        for file in ["one", "two"] { try area.files.write([], to: SandboxPath(file)) }
        let tasks = executors.enumerated().map { number, executor in
            Task(executorPreference: executor) {
                for round in 0..<rounds {
                    do throws(SandboxError) {
                        try TextPaths(area.files).append(
                            Array("thread \(number), round \(round)\n".utf8), to: round % 2 == 0 ? "one" : "two")
                    } catch {
                        return "\(error)"
                    }
                }
                return ""
            }
        }
        for task in tasks { #expect(await task.value.isEmpty) }
        var lines: Set<String> = []
        var count: Int64 = 0
        for file in ["one", "two"] {
            let text = try TextPaths(area.files).text(of: file)
            count += Int64(text.utf8.count)
            for line in text.split(separator: "\n") { #expect(lines.insert(String(line)).inserted) }
        }
        #expect(
            lines == Set((0..<4).flatMap { number in (0..<rounds).map { "thread \(number), round \($0)" } }))
        #expect(try area.root.account.usage() == AreaUsage(bytes: count, files: 2))
        #expect(try area.names().sorted() == ["one", "two"])
    }

    /// Another process writes, adds and uploads through the facade as fast as it can, and is killed again and again.
    @Test func anAcknowledgedAppendSurvivesAKillAtAnyInstant() async throws {
        var random = SeededGenerator(seed: 21)
        let writer = TestPlaces.program("StoreWriter").string
        let directory = try TemporaryDirectory()
        let place = directory.appending("files")
        // In microseconds after the start; a busy machine takes longer to come to the first write.
        var latest: Int64 = 60_000
        // Every place has been written once; from here on, some are added to.
        var told = try await Self.write(writer, place, ["writes=30"], .seconds(60).onThisMachine)
        #expect(told == 30)
        // Rounds in which the writer had come to a write; on a busy machine others come before.
        let wanted = TestMachine.rounds(8, briefly: 3)
        var (round, hits) = (0, 0)
        while hits < wanted, round < 40 {
            let instant = Duration.microseconds(Int64.random(in: 5_000...latest, using: &random)).onThisMachine
            let last = try await Self.write(writer, place, ["after=\(told)"], instant)
            if last == 0 { latest = min(latest * 2, 2_000_000) } else { hits += 1 }
            told = max(told, last)
            let words = ["verify-facade", place, "acknowledged=\(told)", "last=\(told + 1)"]
            let report = try await withLoop { loop in try await loop.run(ChildCommand(writer, words)).outputText }
            #expect(report.contains("\"problems\":[]") && report.contains("goes on"), "round \(round): \(report)")
            // The verifier has written four more.
            told += 4
            round += 1
        }
        #expect(hits == wanted, "the writer was killed before it had written anything")
    }

    /// Runs another process that writes until its time is over; returns its last reported write, 0 for none.
    private static func write(
        _ writer: String, _ place: String, _ options: [String], _ time: Duration
    ) async throws -> Int64 {
        let text = try await withLoop { loop in
            var command = ChildCommand(writer, ["facade", place] + options)
            command.timeout = time
            command.outputLimit = 1 << 20
            return try await loop.run(command).outputText
        }
        #expect(!text.contains("error"), "\(text)")
        // The last line may be there by half.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.last { Int64($0) != nil }.flatMap { Int64($0) } ?? 0
    }
}
