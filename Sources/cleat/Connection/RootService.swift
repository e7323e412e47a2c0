import CleatAPI
import CleatIO
import CleatVarlink
import SystemPackage

/// A service for the system below a directory that runs as long as one command.
///
/// The command runs in a child process, which finds the service by an environment variable. This process starts both,
/// forwards signals, and ends the service.
struct RootService {
    /// The environment variable of the command: the service's socket, a line feed, and the directory.
    static let variable = "CLEAT_ROOT_SERVICE"
    /// The time that the service has to exit after SIGTERM, in milliseconds, before SIGKILL.
    private static let patience: Int32 = 30_000
    /// The longest wait for another command that works on the same directory, in seconds.
    private static let turn: Int64 = 10

    private let root: String

    /// Creates a service for an absolute path.
    init(_ root: String) { self.root = root }

    /// Finds the service for a directory: the one that this command was started with, else a running one that serves
    /// the directory, else one that the command has to start itself.
    static func destination(of path: String, environment: (String) -> String?) throws(CommandError) -> Destination {
        guard !path.isEmpty, let root = LocalFiles.realPath(path), LocalFiles.isDirectory(root) else {
            throw .usage(
                "--root \(path): there is no such directory", remedy: "make it with mkdir, or give another one")
        }
        guard root != "/" else {
            throw .usage("--root / is this machine itself", remedy: "omit --root")
        }
        if let own = environment(variable)?.split(separator: "\n", maxSplits: 1), own.count == 2, own[1] == root {
            return .local(socket: String(own[0]))
        }
        // A symbolic link in the image could lead to the service of this machine.
        let directory = root + "/run/cleat"
        guard LocalFiles.realPath(directory) == directory else { return .root(root) }
        let socket = directory + "/socket"
        do throws(VarlinkClientError) {
            _ = try VarlinkClient.connect(path: socket)
            return .local(socket: socket)
        } catch {
            switch error.errno {
            case nil, .noSuchFileOrDirectory, .connectionRefused, .notDirectory: return .root(root)
            default: throw CommandError(error, socket: socket)
            }
        }
    }

    /// Returns the error for a service of a directory that was not started.
    static func missing(_ root: String) -> CommandError {
        CommandError(
            status: .unavailable, layer: .start, code: "Start", message: "no service serves \(root)",
            remedy: "start cleatd --root \(root)")
    }

    /// Returns the directory whose service at a socket ends with this command; nil if the service does not end with it.
    static func ownRoot(socket: String, _ environment: (String) -> String? = Process.environment) -> String? {
        guard let own = environment(variable)?.split(separator: "\n", maxSplits: 1), own.count == 2, own[0] == socket
        else { return nil }
        return String(own[1])
    }

    /// Waits until no other command runs a service of its own for the directory; returns the lock.
    private func acquireLock() throws(CommandError) -> Descriptor? {
        do {
            return try LocalFiles.lock(directory: root, seconds: Self.turn)
        } catch {
            throw CommandError(
                status: .conflict, layer: .start, code: "Busy", message: "another cleat uses \(root)",
                remedy: "wait until it has ended; for concurrent commands, start cleatd --root \(root)")
        }
    }

    /// Runs this command line again in a child process, with a service of its own.
    ///
    /// - Throws: the reason why the service could not be started, or the status of the command, which has printed its
    ///   error.
    func runCommand() throws(CommandError) {
        let lock = try acquireLock()
        defer { lock?.close() }
        let directory = try LocalFiles.makePrivateDirectory("cleat-root-")
        defer { LocalFiles.removePrivateDirectory(directory) }
        let status = try run(in: directory)
        LocalFiles.removePrivateDirectory(directory)
        switch status {
        case .exited(0): return
        case .exited(let code): throw .alreadyReported(.init(rawValue: code))
        case .signalled(let number): Signal(rawValue: number).endProcess()
        }
    }

    /// Starts the service and the command, and waits until both have ended.
    ///
    /// - Returns: the command's end.
    private func run(in directory: String) throws(CommandError) -> ChildResult.Status {
        do {
            let processes = try RootProcesses(notices: directory + "/notify")
            let log = try LocalFiles.makeNamelessFile(in: directory)
            defer { try? log.close() }
            let service = try startService(directory, log)
            if let signal = try waitUntilReady(service, processes, log) {
                try end(service, processes)
                return .signalled(signal.rawValue)
            }
            let status: ChildResult.Status
            do {
                status = try runAgain(directory, processes)
            } catch {
                try end(service, processes)
                throw error
            }
            try end(service, processes)
            return status
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(
                status: .unavailable, layer: .start, code: "Start",
                message: "no service could be started for \(root): \(error)",
                remedy: "check that TMPDIR is writable")
        }
    }

    private func startService(_ directory: String, _ log: FileDescriptor) throws(CommandError) -> ConsoleChild {
        let own = LocalFiles.realPath("/proc/self/exe") ?? ""
        let beside = own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/cleatd"
        do throws(Errno) {
            return try RootProcesses.start(
                LocalFiles.canRun(beside) ? beside : "cleatd",
                ["cleatd", "--root", root, "--runtime", directory, "--no-hooks", "--log-level", "warning"],
                adding: ["NOTIFY_SOCKET": directory + "/notify"], log: log)
        } catch {
            throw CommandError(
                status: .unavailable, layer: .start, code: "Start",
                message: "cleatd cannot be started for \(root): \(error)",
                remedy: "install cleatd next to cleat or in the PATH, or start it with --root \(root)")
        }
    }

    /// Waits until the service is ready.
    ///
    /// - Returns: a signal that ends the command before that; nil if the service is ready.
    private func waitUntilReady(
        _ service: ConsoleChild, _ processes: RootProcesses, _ log: FileDescriptor
    ) throws -> Signal? {
        while true {
            switch try processes.next() {
            case .ready: return nil
            case .ending(let signal, _): return signal
            case .child, .nothing:
                guard try service.end() != nil else { continue }
                let lines = LocalFiles.tail(of: log, limit: 4_096).split(whereSeparator: \.isNewline)
                var error = CommandError(
                    status: .unavailable, layer: .start, code: "Start", message: "cleatd exited at startup for \(root)",
                    remedy: "check that no other service or command uses \(root)")
                error.details = lines.suffix(4).map(String.init)
                throw error
            }
        }
    }

    /// Runs the command in a child process on the same terminal, and forwards signals to it.
    private func runAgain(_ directory: String, _ processes: RootProcesses) throws -> ChildResult.Status {
        let socket = directory + "/socket"
        let command = try RootProcesses.start(
            "/proc/self/exe", CommandLine.arguments,
            adding: [Self.variable: "\(socket)\n\(root)", ServiceSocket.variable: socket])
        while true {
            if let status = try command.end() { return status }
            if case .ending(let signal, let isTyped) = try processes.next(), !isTyped {
                command.send(signal)
            }
        }
    }

    /// Sends SIGTERM to the service, and SIGKILL if it does not end in time; waits until it has ended.
    private func end(_ service: ConsoleChild, _ processes: RootProcesses) throws {
        guard try service.end() == nil else { return }
        service.send(.terminate)
        while try service.end() == nil {
            guard try processes.next(milliseconds: Self.patience) == .nothing else { continue }
            service.send(.kill)
        }
    }
}
