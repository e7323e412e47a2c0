import CleatAPI
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatObservers

/// The kernel's calls on a file system without leases, so that a file that is being written cannot be detected.
private struct CallsWithoutLeases: WatchCalls {
    private let system = SystemWatchCalls()

    func open() throws(Errno) -> FileDescriptor { try system.open() }
    func watch(_ directory: FileDescriptor, for events: WatchEvents, in queue: FileDescriptor) throws(Errno) -> Int32 {
        try system.watch(directory, for: events, in: queue)
    }
    func remove(_ watch: Int32, from queue: FileDescriptor) throws(Errno) { try system.remove(watch, from: queue) }
    func read(_ queue: FileDescriptor, limit: Int) throws(Errno) -> [WatchEvent]? {
        try system.read(queue, limit: limit)
    }
    func isBeingWritten(_ name: [UInt8], in directory: InboxDirectory) -> Bool? { nil }
}

/// The inbox on a file system that cannot do all that it asks for.
@Suite(.tags(.board)) struct InboxLeaseTests {
    @Test func withoutLeasesWhatWasThereIsReportedOnceAndAnOpenFileAgainWhenItIsWhole() async throws {
        try await InboxBoard.with { board in
            try await board.script("echo a >files/inbox/a; mkdir files/inbox/d; echo b >files/inbox/d/b")
            let writer = try await board.writer(of: "files/inbox/slow", first: "half", rest: " and all")
            try await board.start(calls: CallsWithoutLeases())
            let first = try await board.settled()
            // It cannot be detected that it is being written, so it is reported as it is.
            #expect(first.map(\.subject).sorted() == ["a", "d/b", "slow"])
            #expect(first.allSatisfy { $0.restored })
            board.forget()
            try await writer.finish()
            let then = try await board.settled()
            #expect(then.map(\.subject) == ["slow"])
            #expect(then.first?.properties["SIZE"] == "12" && then.first?.restored == false)
            board.forget()
            // A new file is reported as usual: at its close, or when it is moved in.
            try await board.script("printf x >files/inbox/new; echo y >elsewhere/y; mv elsewhere/y files/inbox/y")
            #expect(try await board.settled().map(\.subject).sorted() == ["new", "y"])
        }
    }
}
