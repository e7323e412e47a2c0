import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatVarlink
import Logging
import Synchronization
import SystemPackage

/// The process of a program that takes part in changes: it is started by the first call, called through its standard
/// input and output (`dev.cleat.Adapter`), and ended when it was not called for a while.
///
/// A program that does not answer in time, or that answers anything else, is killed; the next call starts it again.
final class ProgramProcess: AdapterProgram {
    /// The time without calls after which the process is ended.
    private static let idleTime = Duration.seconds(5)
    /// The time that a process has to end by itself after its input was closed.
    private static let grace = Duration.milliseconds(500)
    /// The time for which inspections do not ask a program that has not answered in time.
    private static let pause = Duration.seconds(60)
    /// The duration of a call from which on inspections do not wait for it.
    private static let patience = Duration.seconds(1)

    /// The process, with the connection to it.
    private struct Running {
        let child: Coprocess
        let client: VarlinkClient
    }

    /// The state that other threads see during a call.
    private struct Activity {
        /// The instant of the last call.
        var lastCall = BootTime.now()
        /// The instant at which the present call began; nil if there is none.
        var began: BootTime?
        /// The instant until which inspections do not ask the program.
        var pausedUntil: BootTime?
        /// True if a timer will end the process.
        var isTimed = false
        /// The process, to be killed when the service ends.
        var child: Coprocess?
        /// True if the program's file has changed: the process is ended after each call.
        var isRetired = false
        /// True if the service ends: no process is started any more.
        var isEnding = false
    }

    let file: ProgramFile
    /// True if the program follows a secret setting, so that its words are not shown.
    let hidesWords: Bool
    private let socket: String
    private let policy: TrustPolicy
    private let loop: EventLoop
    private let worker: Worker
    private let log: Logger
    /// The process; locked during each call, so only threads of workers take it.
    private let process = Mutex<Running?>(nil)
    private let activity = Mutex(Activity())

    /// Creates the object; nothing is started yet.
    ///
    /// - Parameters:
    ///   - file: The file that names the program.
    ///   - hidesWords: True if the program follows a secret setting, so that its words are not shown.
    ///   - socket: The path of the service's socket, for the program's environment.
    ///   - policy: The policy that decides whose programs are trusted.
    ///   - loop: The loop of the main thread, which starts the process.
    ///   - worker: The worker on which an idle process is ended.
    ///   - log: The log for failures of the program.
    init(
        _ file: ProgramFile, hidesWords: Bool, socket: String, policy: TrustPolicy, loop: EventLoop, worker: Worker,
        log: Logger
    ) {
        self.file = file
        self.hidesWords = hidesWords
        self.socket = socket
        self.policy = policy
        self.loop = loop
        self.worker = worker
        self.log = log
    }

    // MARK: The calls

    func check(_ settings: JSONObject) throws(ProgramError) -> [ProgramProblem] {
        let reply = try call(AdapterInterface.Check.self, .init(settings: .object(settings)))
        return reply.problems.prefix(ProgramLimits.problems).map {
            ProgramProblem(path: $0.path, reason: short($0.reason))
        }
    }

    func capture() throws(ProgramError) -> [UInt8] {
        let state = try call(AdapterInterface.Capture.self, EmptyValue()).state
        return try checked { () throws(ProgramError) in try ProgramLimits.check(state: Array(state.utf8)) }
    }

    func apply(_ settings: JSONObject) throws(ProgramError) {
        _ = try call(AdapterInterface.Apply.self, .init(settings: .object(settings)))
    }

    func restore(_ state: [UInt8]) throws(ProgramError) {
        guard let text = String(validating: state, as: UTF8.self) else {
            throw failure("the captured state is damaged")
        }
        _ = try call(AdapterInterface.Restore.self, .init(state: text))
    }

    func fingerprint(comparing settings: JSONObject?) throws(ProgramError) -> ProgramFingerprint {
        let reply = try call(AdapterInterface.Fingerprint.self, .init(settings: settings.map(JSONValue.object)))
        let text = try checked { () throws(ProgramError) in try ProgramLimits.check(fingerprint: reply.fingerprint) }
        return ProgramFingerprint(text, holds: reply.holds)
    }

    /// Checks an answer, and logs what is wrong with it.
    private func checked<Value>(_ check: () throws(ProgramError) -> Value) throws(ProgramError) -> Value {
        do throws(ProgramError) {
            return try check()
        } catch {
            throw failure(error.reason)
        }
    }

    var isPaused: Bool {
        activity.withLock { activity in
            let now = BootTime.now()
            if let began = activity.began, now.duration(since: began) > Self.patience { return true }
            return activity.pausedUntil.map { $0 > now } ?? false
        }
    }

    /// Calls a method, and starts the program before if it does not run.
    private func call<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(ProgramError) -> Method.Reply {
        let outcome: Result<Method.Reply, ProgramError> = process.withLock { process in
            activity.withLock { $0.began = .now() }
            defer { endOrKeep(&process) }
            return Result { () throws(ProgramError) in
                let running = try running(&process)
                do {
                    return try Method.Reply(
                        wire: running.client.call(Method.name, parameters.encoded, timeout: file.timeLimit))
                } catch let error as VarlinkClientError where error.remote?.name == "dev.cleat.Adapter.Failed" {
                    throw ProgramError(short(error.remote?.parameters["reason"]?.stringValue ?? "it failed"))
                } catch {
                    process = nil
                    if (error as? VarlinkClientError)?.code == .timedOut {
                        activity.withLock { $0.pausedUntil = .now().advanced(by: Self.pause) }
                    }
                    throw ended(running, by: error, in: Method.name)
                }
            }
        }
        if case .success = outcome { activity.withLock { $0.pausedUntil = nil } }
        endLater()
        return try outcome.get()
    }

    /// Returns the running process, which it starts if there is none.
    private func running(_ process: inout Running?) throws(ProgramError) -> Running {
        if let known = process {
            // A process that has ended meanwhile has lost no call.
            if !known.child.hasEnded {
                if !known.client.hasUnrequestedBytes { return known }
                // The answer to one call would be taken for that to another.
                log.error("the program \(file.name) wrote something that no call requested; it is started again")
            }
            known.client.close()
            known.child.end(within: .zero)
            process = nil
        }
        let running = try start()
        process = running
        return running
    }

    /// Ends the call, and the process if it is not to be kept.
    private func endOrKeep(_ process: inout Running?) {
        let isRetired = activity.withLock { activity in
            (activity.began, activity.lastCall) = (nil, .now())
            return activity.isRetired
        }
        if isRetired { Self.end(&process) }
        let child = process?.child
        activity.withLock { $0.child = child }
    }

    private static func end(_ process: inout Running?) {
        process?.client.close()
        process?.child.end(within: grace)
        process = nil
    }

    /// Ends a process that has failed, and returns the failure.
    private func ended(_ running: Running, by failure: any Error, in method: String) -> ProgramError {
        let error = failure as? VarlinkClientError
        let isLate = error?.code == .timedOut
        running.client.close()
        // A program whose input has ended may still say why.
        let end = running.child.end(within: error?.code == .closed ? Self.grace : .zero)
        let words = running.child.lastErrors().split(separator: "\n").last.map { ": \(short(String($0)))" } ?? ""
        let name = method.split(separator: ".").last ?? ""
        if isLate {
            return self.failure("it did not answer \(name) within \(file.timeLimit.shown), and was killed\(words)")
        }
        guard error?.code == .closed else {
            let reason = error?.remote.map { "the error \($0.name)" } ?? "\(error?.subject ?? "\(failure)")"
            return self.failure("its answer to \(name) is not valid (\(short(reason))), and it was killed\(words)")
        }
        switch end {
        case .failure(let failure): return self.failure("\(failure)")
        case .success(let status): return self.failure("it \(status) in \(name)\(words)")
        case nil: return self.failure("it ended in \(name), and hangs in the kernel\(words)")
        }
    }

    /// Returns words of the program for users.
    private func short(_ text: String) -> String { ProgramLimits.short(text, isHidden: hidesWords) }

    /// Returns a failure of the program, and logs it.
    private func failure(_ reason: String) -> ProgramError {
        log.error("the program \(file.name) (\(file.command.first ?? "")): \(reason)")
        return ProgramError("\(reason); see \(file.command.first ?? "") and its file in adapters.d")
    }

    // MARK: The process

    private func start() throws(ProgramError) -> Running {
        let program = file.command.first ?? ""
        let trusted: TrustedFile
        do {
            trusted = try policy.open(program, for: .running)
        } catch {
            throw failure("\(error)")
        }
        let command = ChildCommand(
            program: trusted.isScript
                ? .path(FilePath(trusted.path)) : .descriptor(trusted.descriptor.descriptor, name: program),
            arguments: Array(file.command.dropFirst()),
            environment: [
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "CLEAT_ADAPTER": file.name, "CLEAT_SOCKET": socket,
            ],
            workingDirectory: "/", user: file.user)
        defer { trusted.descriptor.close() }
        do {
            let started = try BlockingOutcome<Started>()
            // A process that the main thread starts does not outlive the service; the loop runs on that.
            loop.task(name: "program") { self.start(command, started) }
            guard let process = try started.wait(within: file.timeLimit)?.get() else {
                throw ProgramError("it could not be started within \(file.timeLimit.shown)")
            }
            return Running(
                child: process.child, client: try VarlinkClient(reading: process.output, writing: process.input))
        } catch {
            throw failure((error as? ProgramError)?.reason ?? "\(error)")
        }
    }

    /// A process that has been started.
    private struct Started: Sendable {
        let child: Coprocess
        let output: Descriptor
        let input: Descriptor
    }

    /// Starts the process, on the loop.
    private func start(_ command: ChildCommand, _ started: BlockingOutcome<Started>) {
        started.set(
            Result {
                try activity.withLock { activity in
                    guard !activity.isEnding else { throw ProgramError("the service ends") }
                    let (child, output, input) = try Coprocess.start(command, loop: loop)
                    activity.child = child
                    return Started(child: child, output: output, input: input)
                }
            })
    }

    /// Ends the process, if it runs; on the worker.
    func stop() {
        process.withLock { Self.end(&$0) }
        activity.withLock { $0.child = nil }
    }

    /// Has the process ended after each call from now on: another object stands for the program.
    func retire() { activity.withLock { $0.isRetired = true } }

    /// Kills the process, and starts none any more; a call that is being made fails.
    func shutdown() {
        let child = activity.withLock { activity in
            activity.isEnding = true
            return activity.child
        }
        child?.kill()
    }

    /// Ends the process once it was not called for a while.
    private func endLater() {
        let isFirst = activity.withLock { activity in
            defer { activity.isTimed = true }
            return !activity.isTimed
        }
        if isFirst { endIdle(at: .now().advanced(by: Self.idleTime)) }
    }

    private func endIdle(at instant: BootTime) {
        _ = loop.addTimer(instant) { [weak self] in
            guard let self else { return }
            let next = activity.withLock { activity -> BootTime? in
                let due = activity.lastCall.advanced(by: Self.idleTime)
                if activity.began != nil { return BootTime.now().advanced(by: Self.idleTime) }
                if due > .now() { return due }
                activity.isTimed = false
                return nil
            }
            if let next { return endIdle(at: next) }
            loop.task(name: "idle program") { [worker] in
                // Without a thread for it the process ends with the service, or with its next failure.
                try? await worker.run { self.stop() }
            }
        }
    }
}

extension Duration {
    /// The duration as it is written in files: `10s`.
    fileprivate var shown: String { DurationText.text(milliseconds: Int64(self / .milliseconds(1))) }
}
