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
    /// The time without calls after which the process is ended; the worker's thread, which started it, lives longer.
    private static let idleTime = Duration.seconds(5)
    /// The time that a process has to end by itself after its input was closed.
    private static let grace = Duration.milliseconds(500)
    /// The maximum size of a captured state in bytes.
    private static let stateLimit = 256 << 10
    /// The maximum size of a fingerprint in bytes.
    private static let fingerprintLimit = 1_024
    /// The maximum size of a reason in bytes.
    private static let reasonLimit = 512

    /// The process, with the connection to it.
    private struct Running {
        let child: Coprocess
        let client: VarlinkClient
    }

    /// The time since the last call, which the loop's thread reads, too.
    private struct Idleness {
        /// The instant of the last call.
        var lastCall = BootTime.now()
        /// True if a timer will end the process.
        var isTimed = false
    }

    let file: ProgramFile
    private let socket: String
    private let policy: TrustPolicy
    private let loop: EventLoop
    private let worker: Worker
    private let log: Logger
    /// The process; locked during each call, so only the worker's thread takes it.
    private let process = Mutex<Running?>(nil)
    private let idleness = Mutex(Idleness())

    /// Creates the object; nothing is started yet.
    ///
    /// - Parameters:
    ///   - file: The file that names the program.
    ///   - socket: The path of the service's socket, for the program's environment.
    ///   - policy: The policy that decides whose programs are trusted.
    ///   - loop: The loop for the timer.
    ///   - worker: The worker that the program is called on.
    ///   - log: The log for failures of the program.
    init(_ file: ProgramFile, socket: String, policy: TrustPolicy, loop: EventLoop, worker: Worker, log: Logger) {
        self.file = file
        self.socket = socket
        self.policy = policy
        self.loop = loop
        self.worker = worker
        self.log = log
    }

    // MARK: The calls

    func check(_ settings: JSONObject) throws(ProgramError) -> [ProgramProblem] {
        let reply = try call(AdapterInterface.Check.self, .init(settings: .object(settings)))
        return reply.problems.map { ProgramProblem(path: $0.path, reason: Self.short($0.reason)) }
    }

    func capture() throws(ProgramError) -> [UInt8] {
        let state = try call(AdapterInterface.Capture.self, EmptyValue()).state
        guard state.utf8.count <= Self.stateLimit else {
            throw failure("its state has \(state.utf8.count) bytes, more than \(Self.stateLimit)")
        }
        return Array(state.utf8)
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
        guard (1...Self.fingerprintLimit).contains(reply.fingerprint.utf8.count) else {
            throw failure(
                "its fingerprint has \(reply.fingerprint.utf8.count) bytes, not 1 to \(Self.fingerprintLimit)")
        }
        return ProgramFingerprint(reply.fingerprint, holds: reply.holds)
    }

    /// Calls a method, and starts the program before if it does not run.
    private func call<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(ProgramError) -> Method.Reply {
        let outcome: Result<Method.Reply, ProgramError> = process.withLock { process in
            Result { () throws(ProgramError) in
                // A process that has ended meanwhile has lost no call.
                if process?.child.hasEnded == true { process = nil }
                // Else the answer to one call would be taken for that to another.
                if process?.client.hasUnrequestedBytes == true {
                    process = nil
                    log.error("the program \(file.name) wrote something that no call requested; it is started again")
                }
                let running: Running
                if let known = process { running = known } else { running = try start() }
                process = running
                do {
                    let reply = try Method.Reply(
                        wire: running.client.call(Method.name, parameters.wire, timeout: file.timeLimit))
                    _ = running.child.lastErrors()
                    return reply
                } catch let error as VarlinkClientError where error.remote?.name == "dev.cleat.Adapter.Failed" {
                    throw ProgramError(Self.short(error.remote?.parameters["reason"]?.stringValue ?? "it failed"))
                } catch {
                    process = nil
                    throw ended(running, by: error, in: Method.name)
                }
            }
        }
        endLater()
        return try outcome.get()
    }

    /// Ends a process that has failed, and returns the failure.
    private func ended(_ running: Running, by error: any Error, in method: String) -> ProgramError {
        let error = error as? VarlinkClientError
        let isLate = error?.code == .timedOut
        running.client.close()
        // A program whose input has ended may still say why.
        let end = running.child.end(within: error?.code == .closed ? Self.grace : .zero)
        let words = running.child.lastErrors().split(separator: "\n").last.map { ": \(Self.short(String($0)))" } ?? ""
        let name = method.split(separator: ".").last ?? ""
        if isLate {
            return failure("it did not answer \(name) within \(file.timeLimit.shown), and was killed\(words)")
        }
        guard error?.code == .closed else {
            return failure("its answer to \(name) is not valid, and it was killed\(words)")
        }
        switch end {
        case .failure(let failure): return self.failure("\(failure)")
        case .success(let status): return failure("it \(status) in \(name)\(words)")
        case nil: return failure("it ended in \(name), and hangs in the kernel\(words)")
        }
    }

    /// Returns a failure of the program, and logs it.
    private func failure(_ reason: String) -> ProgramError {
        log.error("the program \(file.name) (\(file.command.first ?? "")): \(reason)")
        return ProgramError("\(reason); see \(file.command.first ?? "") and its file in adapters.d")
    }

    private static func short(_ text: String) -> String {
        let printable = String(text.prefix(reasonLimit).map { $0.isNewline ? " " : $0 })
        return printable.hasSuffix(".") ? String(printable.dropLast()) : printable
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
        do {
            let (child, output, input) = try Coprocess.start(command)
            trusted.descriptor.close()
            return Running(child: child, client: try VarlinkClient(reading: output, writing: input))
        } catch {
            trusted.descriptor.close()
            throw failure("\(error)")
        }
    }

    /// Ends the process, if it runs; on the worker.
    func stop() {
        process.withLock { process in
            process?.client.close()
            process?.child.end(within: Self.grace)
            process = nil
        }
    }

    /// Ends the process once it was not called for a while.
    private func endLater() {
        let due = BootTime.now().advanced(by: Self.idleTime)
        let isFirst = idleness.withLock { idleness in
            idleness.lastCall = .now()
            defer { idleness.isTimed = true }
            return !idleness.isTimed
        }
        if isFirst { endIdle(at: due) }
    }

    private func endIdle(at instant: BootTime) {
        _ = loop.addTimer(instant) { [weak self] in
            guard let self else { return }
            let next = idleness.withLock { idleness -> BootTime? in
                let due = idleness.lastCall.advanced(by: Self.idleTime)
                if due > .now() { return due }
                idleness.isTimed = false
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
