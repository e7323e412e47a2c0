import CleatAPI
import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatObservers

/// A file in a directory of the inbox that a test writes itself, at moments that it chooses.
private final class HandWritten: Sendable {
    private let path: FilePath
    private let half = Mutex<FileDescriptor?>(nil)

    init(_ board: InboxBoard) { path = FilePath(board.directory.appending("files/inbox/deep/file")) }

    /// Makes an empty file, as it is in the middle of an open(2) that makes it: no process has it open for writing.
    func make() {
        #expect(throws: Never.self) {
            try FileDescriptor.open(
                path, .readOnly, options: [.create, .closeOnExec], permissions: .ownerReadWrite
            ).close()
        }
    }

    /// Opens it, empty.
    func begin() {
        half.withLock { half in
            half = try? .open(
                path, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: .ownerReadWrite)
        }
    }

    /// Writes so many bytes into the started file.
    func add(size: Int) {
        #expect(throws: Never.self) {
            let file = try #require(half.withLock { $0 })
            _ = try file.writeAll([UInt8](repeating: 0x20, count: size))
        }
    }

    /// Writes so many bytes into the started file and closes it.
    func finish(size: Int) {
        add(size: size)
        #expect(throws: Never.self) { try half.withLock { $0.take() }?.close() }
    }

    /// Writes all of it.
    func write(size: Int) {
        begin()
        finish(size: size)
    }
}

@Suite("Scans of the inbox while files are written", .tags(.board))
struct InboxLookTests {
    /// Follows an inbox with a directory in it, which is scanned after the files next to it.
    ///
    /// It runs in its own process: a child that another test starts would have the file open for a moment as well.
    private static func looking(
        secondScan: Duration = .seconds(3_600),
        _ body: @escaping @Sendable (InboxBoard, HandWritten, FaultyWatchCalls) async throws -> Void
    ) async throws {
        let calls = FaultyWatchCalls()
        var limits = InboxLimits()
        limits.secondScan = secondScan
        try await InboxBoard.following(limits: limits, calls: calls) { board in
            try await board.script("mkdir files/inbox/deep")
            _ = try await board.settled()
            try await body(board, HandWritten(board), calls)
        }
    }

    @Test("A file that is closed just after it was checked is reported once, as it is then")
    func closedBehindTheLook() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try await InboxLookTests.looking { board, file, calls in
                    calls.once(.asking("file")) { file.finish(size: 2) }
                    try await board.meanwhile {
                        file.begin()
                        file.add(size: 3)
                        calls.loseEvents()
                    }
                    try await board.expect(sizes: ["5"])
                }
            }
        }
    }

    @Test("A file that is written again before the close that a scan has reported is received is reported twice")
    func writtenAfterTheLook() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try await InboxLookTests.looking { board, file, calls in
                    calls.once(.asking("first")) { file.write(size: 5) }
                    calls.once(.marked) { file.write(size: 6) }
                    try await board.meanwhile {
                        try await board.script("echo 1 >files/inbox/first")
                        calls.loseEvents()
                    }
                    try await board.expect(sizes: ["5", "6"])
                    // Each further close is an arrival again.
                    file.write(size: 7)
                    try await board.expect(sizes: ["5", "6", "7"])
                }
            }
        }
    }

    @Test(
        "A file that is being written when the close that a scan has reported is received is reported at its close")
    func beingWrittenAfterTheLook() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try await InboxLookTests.looking { board, file, calls in
                    calls.once(.asking("first")) { file.write(size: 5) }
                    calls.once(.marking) { file.begin() }
                    try await board.meanwhile {
                        try await board.script("echo 1 >files/inbox/first")
                        calls.loseEvents()
                    }
                    try await board.expect(sizes: ["5"])
                    file.finish(size: 6)
                    try await board.expect(sizes: ["5", "6"])
                }
            }
        }
    }

    @Test("An empty file that a scan finds may be about to be written: it is reported when that is over")
    func madeBehindTheLook() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try await InboxLookTests.looking { board, file, calls in
                    try await board.meanwhile {
                        file.make()
                        calls.loseEvents()
                    }
                    try await board.expect(sizes: [])
                    file.write(size: 5)
                    try await board.expect(sizes: ["5"])
                }
                try await InboxLookTests.looking(secondScan: .milliseconds(20)) { board, file, calls in
                    try await board.meanwhile {
                        file.write(size: 0)
                        calls.loseEvents()
                    }
                    try await board.eventually("it was told") { board.subjects.contains("deep/file") }
                    try await board.expect(sizes: ["0"])
                }
            }
        }
    }

    @Test("Files that are written during repeated scans are reported once each")
    func again() async throws {
        let calls = FaultyWatchCalls()
        try await InboxBoard.following(calls: calls) { board in
            let losing = board.loop.task {
                while !Task.isCancelled {
                    calls.loseEvents()
                    await board.loop.yield()
                }
            }
            for round in 0..<10 {
                let writers = (0..<4).map { writer in
                    "for i in 0 1 2 3 4 5 6; do echo \(round) >files/inbox/\(round)-\(writer)$i; done &"
                }
                try await board.script(writers.joined(separator: "\n") + "\nwait")
            }
            losing.cancel()
            await losing.value
            let counts = Dictionary(try await board.settled().map { ($0.subject, 1) }, uniquingKeysWith: +)
            #expect(counts.count == 10 * 28)
            #expect(counts.filter { $0.value != 1 }.isEmpty)
        }
    }

    @Test("An unwatched directory is counted once for as long as it exists")
    func unwatched() {
        var unwatched = InboxUnwatched()
        func inserts(_ names: String...) -> [Bool] { names.map { unwatched.insert($0) } }
        #expect(unwatched.isEmpty)
        #expect(inserts("a", "a") == [true, false])
        #expect(!unwatched.isEmpty)
        unwatched.startScan(isUnfinished: false)
        #expect(unwatched.isEmpty)
        #expect(inserts("a", "b", "a") == [false, true, false])
        unwatched.startScan(isUnfinished: false)
        unwatched.startScan(isUnfinished: true)
        #expect(inserts("a") == [false])
        unwatched.startScan(isUnfinished: false)
        #expect(inserts("b", "a") == [true, false])
        // What is remembered is bounded.
        for number in 0..<3 * InboxUnwatched.limit { _ = unwatched.insert("\(number)") }
        #expect(inserts("0", "\(2 * InboxUnwatched.limit)", "\(2 * InboxUnwatched.limit)") == [false, true, true])
    }
}

extension InboxBoard {
    /// Checks the reported sizes of the file, once everything that has happened is reported.
    fileprivate func expect(sizes: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // The scan may report the first of these, before all of the test's steps.
        _ = try await settled()
        let told = try await settled().filter { $0.subject == "deep/file" }.map { $0.properties["SIZE"] }
        #expect(told == sizes, sourceLocation: sourceLocation)
    }
}
