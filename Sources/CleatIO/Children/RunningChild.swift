internal import Synchronization
internal import SystemPackage

/// One child process from its start to its end, driven by callbacks on the loop's thread, without a task or thread of
/// its own.
final class RunningChild: Sendable {
    private struct State {
        var life = ChildLife()
        var exit: Registration?
        var reading: Registration?
        var timer: TimerToken?
        var output: KeptOutput
        var outcome: Result<ChildResult, SpawnError>?
        var waiter: CheckedContinuation<Result<ChildResult, SpawnError>, Never>?
    }

    /// The output of the process: the first or last bytes up to a limit, and their number in all.
    private struct KeptOutput {
        let limit: Int
        let keepsLast: Bool
        private(set) var bytes: [UInt8] = []
        private(set) var total = 0

        init(limit: Int, keepsLast: Bool) {
            self.limit = max(0, limit)
            self.keepsLast = keepsLast
        }

        mutating func append(_ chunk: Slice<UnsafeMutableRawBufferPointer>) {
            unsafe total &+= chunk.count
            let space = unsafe keepsLast ? chunk.count : min(chunk.count, limit - bytes.count)
            if space > 0 { unsafe bytes.append(contentsOf: chunk.prefix(space)) }
            if keepsLast { bytes.removeFirst(max(0, bytes.count - limit)) }
        }
    }

    private static let chunk = 64 * 1024
    /// The number of bytes that are read before other work on the loop runs.
    private static let turn = 16 * chunk
    /// The time that a killed process has to exit before the wait for it ends.
    private static let patience = Duration.seconds(5)

    private let loop: EventLoop
    private let program: String
    private let pid: Int32
    private let pidfd: Descriptor
    private let output: Descriptor
    private let report: Descriptor?
    private let killGrace: Duration
    private let detachGrace: Duration
    private let started: BootTime
    private let state: Mutex<State>

    /// Starts the process.
    ///
    /// Its events are delivered on the loop's thread from here on.
    static func start(_ command: ChildCommand, loop: EventLoop) throws(SpawnError) -> RunningChild {
        let name = command.program.name
        let input: Descriptor
        let reading: Descriptor
        let writing: Descriptor
        do throws(Errno) {
            input = try Kernel.inputDescriptor(command.input)
            let ends = try Kernel.pipe()
            (reading, writing) = (Descriptor(owning: ends.reading), try Kernel.aboveStandard(ends.writing))
            try Kernel.setNonblocking(reading.rawValue)
        } catch {
            throw SpawnError(.resources, program: name, underlying: error)
        }
        let started = BootTime.now()
        let child = try Kernel.spawn(command, input: input.rawValue, output: writing.rawValue)
        let running = RunningChild(command, loop: loop, child: child, output: reading, started: started)
        try running.begin(timeout: command.timeout)
        return running
    }

    private init(
        _ command: ChildCommand, loop: EventLoop, child: Kernel.Child, output: Descriptor, started: BootTime
    ) {
        self.loop = loop
        self.started = started
        self.output = output
        program = command.program.name
        pid = child.pid
        pidfd = Descriptor(owning: child.pidfd)
        report = child.report.map { Descriptor(owning: $0) }
        killGrace = command.killGrace
        detachGrace = command.detachGrace
        state = Mutex(State(output: KeptOutput(limit: command.outputLimit, keepsLast: command.keepsLast)))
    }

    private func begin(timeout: Duration?) throws(SpawnError) {
        let failure = state.withLock { state -> Errno? in
            do throws(Errno) {
                state.exit = try loop.register(pidfd.rawValue) { _ in self.leaderEnded() }
                state.reading = try loop.register(output.rawValue) { _ in self.readOutput() }
            } catch {
                return error
            }
            if let timeout {
                state.timer = loop.addTimer(started.advanced(by: timeout)) { self.handle { $0.timeOver() } }
            }
            return nil
        }
        guard let failure else { return }
        Kernel.killGroup(pid, .kill)
        // The process was killed, so it exits at once. Registering it failed, so the loop does not report its end.
        _ = try? Kernel.reap(pidfd.rawValue, wait: true)
        close()
        pidfd.close()
        throw SpawnError(.resources, program: program, underlying: failure)
    }

    // MARK: The caller's side

    /// Waits for the process to end.
    func wait(_ continuation: CheckedContinuation<Result<ChildResult, SpawnError>, Never>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.waiter = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    /// Kills the group; the wait ends with `.cancelled` once the process is dead.
    func cancel() { handle { $0.cancel() } }

    private func finish(_ outcome: Result<ChildResult, SpawnError>) {
        let waiter = state.withLock { state in
            guard state.outcome == nil else {
                return nil as CheckedContinuation<Result<ChildResult, SpawnError>, Never>?
            }
            state.outcome = outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: outcome)
    }

    // MARK: Events

    private func handle(_ event: @Sendable (inout ChildLife) -> ChildLife.Action) {
        let action = state.withLock { state in
            let action = event(&state.life)
            // The lock is held, so the process cannot be reaped in between and its PID is still its own.
            if let signal = action.signal { Kernel.killGroup(pid, signal) }
            return action
        }
        switch action {
        case .none: break
        case .terminate: arm(killGrace) { $0.graceOver() }
        case .kill: arm(Self.patience) { $0.patienceOver() }
        case .giveUp: finish(.failure(SpawnError(.stuck, program: program)))
        }
    }

    private func arm(_ duration: Duration, _ event: @escaping @Sendable (inout ChildLife) -> ChildLife.Action) {
        let timer = loop.addTimer(.now().advanced(by: duration)) { self.handle(event) }
        let (previous, late) = state.withLock { state in
            defer { state.timer = timer }
            return (state.timer, state.life.hasEnded)
        }
        if let previous { loop.cancelTimer(previous) }
        if late { loop.cancelTimer(timer) }
    }

    private func leaderEnded() {
        let duration = BootTime.now().duration(since: started)
        let ended = state.withLock { state -> (status: ChildResult.Status?, life: ChildLife, isKept: Bool)? in
            guard !state.life.hasEnded else { return nil }
            let isKept = detachGrace > .zero && state.life.isUndisturbed
            // The leader is not reaped yet, so its PID still names its group: the remaining processes in it are killed.
            if !isKept { Kernel.killGroup(pid, .kill) }
            do throws(Errno) {
                guard let status = try Kernel.reap(pidfd.rawValue, keeping: isKept) else { return nil }
                state.life.end()
                return (status, state.life, isKept)
            } catch {
                // The process was reaped elsewhere.
                state.life.end()
                return (nil, state.life, false)
            }
        }
        guard let (status, life, isKept) = ended else { return }
        // The pipe holds only output from before the end. A process outside of the group that keeps it open is not
        // waited for.
        _ = read(atMost: Self.turn)
        let (timer, kept) = state.withLock { ($0.timer, $0.output) }
        if let timer { loop.cancelTimer(timer) }
        let failure = report.flatMap { Kernel.startFailure($0.rawValue, program: program) }
        close()
        if isKept {
            let group = KeptGroup(leader: pid, pidfd)
            _ = loop.addTimer(.now().advanced(by: detachGrace)) { group.end() }
        } else {
            pidfd.close()
        }
        if let failure {
            finish(.failure(failure))
        } else if life.wasCancelled {
            finish(.failure(SpawnError(.cancelled, program: program)))
        } else if let status {
            finish(
                .success(
                    ChildResult(
                        status: status, timedOut: life.timedOut, output: kept.bytes, outputBytesTotal: kept.total,
                        duration: duration)))
        } else {
            finish(.failure(SpawnError(.failed, program: program, underlying: .noChildProcess)))
        }
    }

    private func readOutput() {
        if read(atMost: Self.turn) { loop.nextTurn { self.readOutput() } }
    }

    /// Reads the available output; returns true if there may be more.
    private func read(atMost limit: Int) -> Bool {
        var left = limit
        while left > 0 {
            let (count, isEnd) = readChunk()
            if isEnd {
                state.withLock { state in
                    defer { state.reading = nil }
                    return state.reading
                }?.close()
                return false
            }
            if count == 0 { return false }
            left -= count
        }
        return true
    }

    private func readChunk() -> (count: Int, isEnd: Bool) {
        guard output.rawValue >= 0 else { return (0, true) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 16) { buffer in
            do throws(Errno) {
                guard let count = unsafe try Kernel.read(output.rawValue, into: buffer) else { return (0, false) }
                state.withLock { unsafe $0.output.append(buffer[..<count]) }
                return (count, count == 0)
            } catch {
                return (0, true)
            }
        }
    }

    private func close() {
        let registrations = state.withLock { state in
            defer { (state.exit, state.reading) = (nil, nil) }
            return [state.exit, state.reading]
        }
        for registration in registrations { registration?.close() }
        output.close()
        report?.close()
    }
}

/// The process group of a child that has ended and is not reaped: as long as that is so, no other process can get its
/// number.
private final class KeptGroup: Sendable {
    private let leader: Int32
    private let pidfd: Descriptor
    private let isKept = Mutex(true)

    init(leader: Int32, _ pidfd: Descriptor) {
        self.leader = leader
        self.pidfd = pidfd
    }

    /// The loop has ended before the time was over.
    deinit { end() }

    /// Kills the processes that have not left the group, and reaps its leader.
    func end() {
        let isFirst = isKept.withLock { isKept in
            defer { isKept = false }
            return isKept
        }
        guard isFirst else { return }
        Kernel.killGroup(leader, .kill)
        // It has ended, and is a child of this process.
        _ = try? Kernel.reap(pidfd.rawValue)
        pidfd.close()
    }
}
