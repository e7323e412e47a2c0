internal import CLinux
internal import Synchronization
internal import SystemPackage

/// A child process that reads requests from its standard input, and writes answers to its standard output.
///
/// It leads a session and process group of its own. Its standard error is read by an event loop, so that the process
/// never waits for that; waiting for its end blocks.
package final class Coprocess: Sendable {
    /// The number of bytes of standard error that are kept.
    private static let errorLimit = 512
    /// The size of one read of standard error in bytes.
    private static let chunk = 4_096
    /// The time that a killed process has to end before the wait for that is given up.
    private static let patience: Int64 = 5_000

    private struct State {
        /// The last bytes of standard error.
        var errors: [UInt8] = []
        var status: ChildResult.Status?
        var isReaped = false
        var reading: Registration?
    }

    private let program: String
    private let pid: Int32
    private let pidfd: Descriptor
    private let report: Descriptor?
    private let errors: Descriptor
    private let state = Mutex(State())

    /// Starts a program; its input, output limit and time limit are not used.
    ///
    /// Called on the process's main thread, it ends when this process ends for any reason (`PR_SET_PDEATHSIG`).
    /// - Parameters:
    ///   - command: The program and its surroundings.
    ///   - loop: The loop that reads its standard error.
    /// - Returns: The child, and this end of its output and its input.
    /// - Throws: ``SpawnError`` if the program could not be started. A program whose user is changed reports that later:
    ///   its output ends, and ``end(within:)`` returns the reason.
    package static func start(
        _ command: ChildCommand, loop: EventLoop
    ) throws(SpawnError) -> (child: Coprocess, output: Descriptor, input: Descriptor) {
        let input: (reading: Descriptor, writing: Descriptor)
        let output: (reading: Descriptor, writing: Descriptor)
        let errors: (reading: Descriptor, writing: Descriptor)
        do throws(Errno) {
            (input, output, errors) = (try pipe(), try pipe(), try pipe())
            try Kernel.setNonblocking(errors.reading.rawValue)
        } catch {
            throw SpawnError(.resources, program: command.program.name, underlying: error)
        }
        let child = try Kernel.spawn(
            command, input: input.reading.rawValue, output: output.writing.rawValue, error: errors.writing.rawValue)
        let coprocess = Coprocess(command.program.name, child, errors: errors.reading)
        do throws(Errno) {
            let reading = try loop.register(errors.reading.rawValue) { [weak coprocess] _ in coprocess?.readErrors() }
            coprocess.state.withLock { $0.reading = reading }
        } catch {
            coprocess.end(within: .zero)
            throw SpawnError(.resources, program: command.program.name, underlying: error)
        }
        return (coprocess, output.reading, input.writing)
    }

    /// Makes a pipe of which neither end is 0, 1 or 2. `pipe2(2)`
    private static func pipe() throws(Errno) -> (reading: Descriptor, writing: Descriptor) {
        let ends = try Kernel.pipe()
        let (reading, writing) = (Descriptor(owning: ends.reading), Descriptor(owning: ends.writing))
        return (try Kernel.aboveStandard(reading), try Kernel.aboveStandard(writing))
    }

    private init(_ program: String, _ child: Kernel.Child, errors: Descriptor) {
        self.program = program
        self.errors = errors
        pid = child.pid
        pidfd = Descriptor(owning: child.pidfd)
        report = child.report.map { Descriptor(owning: $0) }
    }

    deinit { _ = end(within: .zero) }

    /// True if the process has ended.
    package var hasEnded: Bool { state.withLock { $0.isReaped } || clinux_wait_ready(pidfd.rawValue, 0, 0) > 0 }

    /// Reads what the program wrote to standard error, and returns the last of it as text.
    package func lastErrors() -> String {
        readErrors()
        return state.withLock { String(decoding: $0.errors, as: UTF8.self) }
    }

    private func readErrors() {
        let ended = state.withLock { state -> Registration? in
            while true {
                guard let bytes = try? errors.read(upTo: Self.chunk) else { return nil }
                guard !bytes.isEmpty else { return state.reading.take() }
                state.errors = Array((state.errors + bytes).suffix(Self.errorLimit))
            }
        }
        ended?.close()
    }

    /// Kills the group of the process, from any thread; its end is still to be waited for.
    package func kill() {
        state.withLock { state in
            // The process is not reaped yet, so its PID still names its group.
            if !state.isReaped { Kernel.killGroup(pid, .kill) }
        }
    }

    /// Waits for the end of the process, and kills its group.
    ///
    /// - Parameter grace: The time that it has to end by itself; its input should be closed before.
    /// - Returns: The exit status, or the reason why the program could not be started; nil if it hangs in the kernel.
    @discardableResult
    package func end(within grace: Duration) -> Result<ChildResult.Status, SpawnError>? {
        if grace > .zero { _ = clinux_wait_ready(pidfd.rawValue, 0, Int64(grace / .milliseconds(1))) }
        kill()
        if !state.withLock({ $0.isReaped }) { _ = clinux_wait_ready(pidfd.rawValue, 0, Self.patience) }
        readErrors()
        let (status, reading) = state.withLock { state -> (ChildResult.Status?, Registration?) in
            let reading = state.reading.take()
            if state.isReaped { return (state.status, reading) }
            do throws(Errno) {
                state.status = try Kernel.reap(pidfd.rawValue)
                state.isReaped = state.status != nil
            } catch {
                // The process was reaped elsewhere.
                state.isReaped = true
            }
            return (state.status, reading)
        }
        reading?.close()
        if let failure = report.flatMap({ Kernel.startFailure($0.rawValue, program: program) }) {
            return .failure(failure)
        }
        return status.map { .success($0) }
    }
}
