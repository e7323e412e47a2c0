import CleatAPI
import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatObservers

/// A directory with an inbox, the observer of it, and what it has told.
final class InboxBoard: Sendable {
    let loop: EventLoop
    let directory: TemporaryDirectory
    private let told = Mutex<[Event]>([])
    /// The number of files that the running observer has reported, including forgotten ones.
    private let heard = Mutex(0)
    private let said = Mutex<[InboxNotice]>([])
    private let gate = InboxGate()
    private let running = Mutex<(observer: InboxObserver, task: Task<Void, any Error>)?>(nil)

    private init(loop: EventLoop) throws {
        self.loop = loop
        directory = try TemporaryDirectory()
    }

    /// Runs a test's body with an empty inbox that no observer follows yet.
    static func with(_ body: @escaping @Sendable (InboxBoard) async throws -> Void) async throws {
        try await withLoop { loop in
            let board = try InboxBoard(loop: loop)
            try await board.script("mkdir -p files/inbox elsewhere")
            do {
                try await body(board)
            } catch {
                await board.stop()
                throw error
            }
            await board.stop()
        }
    }

    /// Runs a test's body with an inbox that is followed.
    static func following(
        limits: InboxLimits = InboxLimits(), calls: any WatchCalls = SystemWatchCalls(),
        _ body: @escaping @Sendable (InboxBoard) async throws -> Void
    ) async throws {
        try await with { board in
            try await board.start(limits: limits, calls: calls)
            try await body(board)
        }
    }

    // MARK: The observer

    /// Starts an observer and waits for the end of its first scan.
    @discardableResult
    func start(
        limits: InboxLimits = InboxLimits(), calls: any WatchCalls = SystemWatchCalls()
    ) async throws -> InboxObserver {
        await stop()
        let bus = EventBus(bootID: "boot")
        let events = bus.subscribe(buffer: 1 << 20)
        heard.withLock { $0 = 0 }
        loop.task {
            while let delivery = await events.next() {
                guard case .event(let event) = delivery else { continue }
                self.told.withLock { $0.append(event.event(bootID: bus.bootID)) }
                self.heard.withLock { $0 += 1 }
            }
        }
        let observer = InboxObserver(
            loop: loop, bus: bus, base: directory.path, limits: limits, calls: calls, pace: { await self.gate.pass() }
        ) { notice in self.said.withLock { $0.append(notice) } }
        let task: Task<Void, any Error> = loop.task {
            defer { bus.close() }
            try await observer.run()
        }
        running.withLock { $0 = (observer, task) }
        await observer.waitUntilReady()
        return observer
    }

    /// Ends the observer, as far as there is one.
    func stop() async {
        gate.open()
        guard let (_, task) = running.withLock({ $0.take() }) else { return }
        task.cancel()
        _ = try? await task.value
    }

    /// The observer that runs.
    var observer: InboxObserver {
        get throws { try #require(running.withLock { $0?.observer }) }
    }

    /// The error that the observer ended with.
    func failure() async -> (any Error)? {
        guard let task = running.withLock({ $0?.task }), case .failure(let error) = await task.result else {
            return nil
        }
        return error
    }

    /// Keeps the observer from its queue while something happens.
    func meanwhile(_ body: () async throws -> Void) async throws {
        let passed = gate.close()
        // Waiting for the queue, it comes to the gate with the next event.
        try await script(": >files/inbox/.cleat-knock")
        try await eventually("the observer waits") { self.gate.arrivals > passed }
        try await body()
        gate.open()
    }

    // MARK: Reports

    /// The events so far.
    var events: [Event] { told.withLock { $0 } }
    /// The subjects of the events.
    var subjects: [String] { events.map(\.subject) }
    /// The notices for the log.
    var notices: [InboxNotice] { said.withLock { $0 } }
    /// Forgets all events.
    func forget() { told.withLock { $0 = [] } }

    /// Waits until everything that has happened so far is reported, and returns the events.
    func settled() async throws -> [Event] {
        let name = "fence-\(UInt64.random(in: 0 ... .max))"
        try await script("echo >elsewhere/\(name); mv elsewhere/\(name) files/inbox/\(name)")
        let observer = try observer
        try await eventually("\(name) was told") { self.events.contains { $0.subject == name } }
        // An event is received a little after it is published.
        try await eventually("the observer was idle") {
            guard await observer.isIdle else { return false }
            return await observer.counts.arrived == self.heard.withLock { $0 }
        }
        try await script("rm files/inbox/\(name)")
        return events.filter { !$0.subject.hasPrefix("fence-") }
    }

    func eventually(_ what: String, _ condition: @Sendable () async throws -> Bool) async throws {
        let subjects = self.subjects.suffix(20)
        try #require(await loop.eventually(condition), "it took too long until \(what); told: \(subjects)")
    }

    // MARK: Real processes

    /// Runs a shell script in the board's directory to its end.
    func script(_ text: String) async throws {
        var command = ChildCommand("/bin/sh", ["-euc", "cd \"$D\"\n" + text])
        command.environment = environment
        command.timeout = .seconds(100).onThisMachine
        let result = try await loop.run(command)
        try #require(result.isSuccess, "\(text): \(result.status) \(result.outputText.suffix(2_000))")
    }

    /// Starts a process that opens a file, writes the first half, and on request writes the rest and closes it.
    func writer(of path: String, first: String, rest: String) async throws -> SlowWriter {
        let name = "writer-\(UInt64.random(in: 0 ... .max))"
        var command = ChildCommand(
            "/bin/sh",
            [
                "-euc",
                """
                cd "$D"
                mkfifo \(name).go
                exec 3>"\(path)"
                printf %s '\(first)' >&3
                : >\(name).began
                read -r answer <\(name).go
                printf %s '\(rest)' >&3
                """,
            ])
        command.environment = environment
        command.timeout = .seconds(300).onThisMachine
        let loop = loop
        let task: Task<ChildResult, any Error> = loop.task { [command] in try await loop.run(command) }
        let began = directory.path.appending("\(name).began")
        try await eventually("the writer had begun") { (try? contents(of: began)) != nil }
        return SlowWriter(board: self, name: name, task: task)
    }

    private var environment: [String: String] {
        ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "D": directory.text]
    }
}

/// A process that has a file open for writing.
struct SlowWriter: Sendable {
    fileprivate let board: InboxBoard
    fileprivate let name: String
    fileprivate let task: Task<ChildResult, any Error>

    /// Has it write the rest and close the file, and waits for its end.
    func finish() async throws {
        try await board.script("echo go >\(name).go")
        try #require(await task.value.isSuccess)
    }
}

/// The steps of an observer at which it can be held up.
private final class InboxGate: Sendable {
    private struct State {
        var isClosed = false
        var arrivals = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    /// The number of arrivals at the gate.
    var arrivals: Int { state.withLock { $0.arrivals } }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                state.arrivals += 1
                if state.isClosed { state.waiters.append(continuation) }
                return !state.isClosed
            }
            if isOpen { continuation.resume() }
        }
    }

    func close() -> Int {
        state.withLock { state in
            state.isClosed = true
            return state.arrivals
        }
    }

    func open() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.isClosed = false
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// The kernel's calls, of which some fail and events are lost as a test says.
final class FaultyWatchCalls: WatchCalls {
    /// A moment at which something can be done once, on the observer's own thread.
    enum Moment: Hashable {
        /// A file of this name was checked; the next query is for a lease, which shows whether it is being written.
        case asking(String)
        /// Looks have ended, and the marker that says so goes into the queue next.
        case marking
        /// The marker is in the queue.
        case marked
    }

    private struct State {
        var actions: [Moment: @Sendable () -> Void] = [:]
        var openError: Errno?
        var watchError: Errno?
        var marker: Int32?
        var watchesBefore = 0
        var isLosing = false
        var attempts = 0
    }
    private let state = Mutex(State())
    private let system = SystemWatchCalls()

    /// Has opening a queue fail.
    func failOpening(_ error: Errno?) { state.withLock { $0.openError = error } }
    /// Has watching fail after so many more watches.
    func failWatching(_ error: Errno?, after count: Int = 0) {
        state.withLock { ($0.watchError, $0.watchesBefore) = (error, count) }
    }
    /// Has something be done when it comes to that.
    func once(_ moment: Moment, _ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.actions[moment] = action }
    }
    private func come(to moment: Moment) { state.withLock { $0.actions.removeValue(forKey: moment) }?() }

    /// Drops everything in the queue at its next read, as if it had been full.
    func loseEvents() { state.withLock { $0.isLosing = true } }

    /// The number of queues that were asked for.
    var attempts: Int { state.withLock { $0.attempts } }

    func open() throws(Errno) -> FileDescriptor {
        let error = state.withLock { state in
            state.attempts += 1
            return state.openError
        }
        if let error { throw error }
        return try system.open()
    }

    func watch(_ directory: FileDescriptor, for events: WatchEvents, in queue: FileDescriptor) throws(Errno) -> Int32 {
        let error: Errno? = state.withLock { state in
            guard state.watchError != nil else { return nil }
            state.watchesBefore -= 1
            return state.watchesBefore < 0 ? state.watchError : nil
        }
        if let error { throw error }
        guard events == .selfDeleted else { return try system.watch(directory, for: events, in: queue) }
        come(to: .marking)
        let watch = try system.watch(directory, for: events, in: queue)
        state.withLock { $0.marker = watch }
        return watch
    }

    func remove(_ watch: Int32, from queue: FileDescriptor) throws(Errno) {
        try system.remove(watch, from: queue)
        if state.withLock({ $0.marker == watch }) { come(to: .marked) }
    }

    func isBeingWritten(_ name: [UInt8], in directory: InboxDirectory) -> Bool? {
        come(to: .asking(String(decoding: name, as: UTF8.self)))
        return system.isBeingWritten(name, in: directory)
    }

    func read(_ queue: FileDescriptor, limit: Int) throws(Errno) -> [WatchEvent]? {
        let isLosing = state.withLock { state in
            defer { state.isLosing = false }
            return state.isLosing
        }
        guard isLosing else { return try system.read(queue, limit: limit) }
        while try system.read(queue, limit: limit) != nil {}
        return [WatchEvent(watch: -1, events: .overflow)]
    }
}
