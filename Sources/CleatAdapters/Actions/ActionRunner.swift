package import CleatIO
internal import CleatSandbox
internal import SystemPackage

/// Runs the actions that follow a change of resources.
package struct ActionRunner: Sendable {
    /// The number of bytes of a program's output that are kept for messages.
    private static let outputLimit = 4096
    /// The time that a daemon, such as a DHCP client that `ifup` starts, has to leave the group of its command.
    private static let detachGrace = Duration.seconds(5)

    let loop: EventLoop
    let system: SystemResources
    private let worker: Worker
    private let policy: TrustPolicy

    /// Creates a runner from the event loop for programs, the system, the worker for blocking calls, and the trust
    /// policy.
    ///
    /// By default the programs of root and of the service's own user are trusted, as with hooks.
    package init(
        on loop: EventLoop, _ system: SystemResources, worker: Worker = Worker(), policy: TrustPolicy = .current()
    ) {
        self.loop = loop
        self.system = system
        self.worker = worker
        self.policy = policy
    }

    /// Runs actions one after the other; a service that did not answer a program in time is not asked again.
    ///
    /// - Parameters:
    ///   - actions: the actions, in the order in which they run.
    ///   - stopsAtFailure: true to stop at the first failure; a revert continues.
    /// - Returns: a result for each action that was started or skipped.
    package func run(_ actions: [AdapterAction], stopsAtFailure: Bool) async -> [ActionResult] {
        var results: [ActionResult] = []
        var hanging: [RunningSign] = []
        for action in actions {
            let result: ActionResult
            switch action {
            case .reboot(let reason):
                // Nothing is run; the message also applies under a root directory.
                result = ActionResult(title: "reboot", outcome: .needsReboot(reason), duration: .zero)
            case .command(let command) where command.needs.map(hanging.contains) ?? false:
                result = ActionResult(
                    title: command.title,
                    outcome: .failed(
                        "Could not \(command.title): \(command.program) has just hung, and was not run again."),
                    duration: .zero)
            case .command(let command):
                result = await run(command)
                if let needs = command.needs, !result.isSuccess, result.duration >= command.timeLimit {
                    hanging.append(needs)
                }
            case .interface(let action): result = await run(action)
            }
            results.append(result)
            CrashPoints.pass("did \(result.title)")
            if stopsAtFailure, !result.isSuccess { break }
        }
        return results
    }

    /// Returns the reason why a command was skipped: its service does not run.
    static func notRunning(_ command: ActionCommand) -> String {
        "\(command.service ?? command.needs?.unit ?? command.program) is not running"
    }

    static let elsewhere = "services are not notified with --root"

    /// Reads or changes kernel state on the worker's thread.
    func look<T: Sendable>(
        _ body: @escaping @Sendable (SystemResources) throws -> T
    ) async throws -> T {
        try await worker.run { [system] in try body(system) }
    }

    func run(_ command: ActionCommand) async -> ActionResult {
        guard system.isRunning else {
            return ActionResult(title: command.title, outcome: .skipped(Self.elsewhere), duration: .zero)
        }
        guard command.hasUse(on: system) else {
            return ActionResult(title: command.title, outcome: .skipped(Self.notRunning(command)), duration: .zero)
        }
        guard let program = command.path(on: system) else {
            return ActionResult(
                title: command.title, outcome: .failed("\(command.missingProgram(on: system) ?? command.title)."),
                duration: .zero)
        }
        let begin = BootTime.now()
        let trusted: TrustedFile
        do throws(TrustError) {
            trusted = try policy.open(program, for: .running)
        } catch {
            return ActionResult(
                title: command.title, outcome: .failed("Could not \(command.title): \(error)."),
                duration: BootTime.now().duration(since: begin))
        }
        // Kept open until the end: a program that is run by its descriptor needs it.
        defer { trusted.descriptor.close() }
        let outcome: ActionResult.Outcome
        do throws(SpawnError) {
            var child = ChildCommand(
                program: trusted.isScript
                    ? .path(FilePath(trusted.path))
                    : .descriptor(trusted.descriptor.descriptor, name: program),
                arguments: command.arguments, environment: command.environment,
                workingDirectory: "/", input: command.input, outputLimit: Self.outputLimit, keepsLast: true,
                timeout: command.timeLimit)
            child.detachGrace = Self.detachGrace
            let ended = try await loop.run(child)
            let hasDoneNothing =
                command.failureMark.map { mark in
                    ended.outputText.split(whereSeparator: \.isNewline).contains { $0.hasSuffix(mark) }
                } ?? false
            let idle = Self.lines(of: ended).last { line in
                command.idleMarks.contains { Self.has($0, in: Array(line.utf8)) }
            }
            outcome =
                ended.isSuccess && !hasDoneNothing
                ? .done
                : idle.map { .skipped($0) } ?? .failed(Self.text(of: ended, command, program))
        } catch {
            outcome = .failed("Could not \(command.title): \(error).")
        }
        return ActionResult(title: command.title, outcome: outcome, duration: BootTime.now().duration(since: begin))
    }

    private static func text(of ended: ChildResult, _ command: ActionCommand, _ program: String) -> String {
        let how = ended.timedOut ? "did not end within \(command.timeLimit)" : "\(ended.status)"
        guard command.showsOutput else {
            return
                "Could not \(command.title): \(program) \(how); its output is hidden, since its rules use a "
                + "secret; see its own log."
        }
        let lines = lines(of: ended).suffix(command.quotedLines)
        let output = lines.isEmpty ? " without output" : ", saying “\(lines.joined(separator: "; "))”"
        return "Could not \(command.title): \(program) \(how)\(output)"
            + (command.quotedLines > 1 ? "." : "; see its own log.")
    }

    /// Returns true if a program has printed a text.
    static func has(_ text: String, in output: [UInt8]) -> Bool {
        let text = Array(text.utf8)
        return output.indices.contains { output[$0...].starts(with: text) }
    }

    /// Returns the lines of a program's output without control characters, each with at most 200 characters.
    private static func lines(of ended: ChildResult) -> [String] {
        ended.outputText.split(whereSeparator: \.isNewline).map {
            let shown = $0.unicodeScalars.filter { $0.properties.generalCategory != .control }
            return String(shown.prefix(200).map(Character.init))
        }
    }
}
