import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import CleatVarlink
import Synchronization
import SystemPackage
import Testing

/// One run of the real `cleatd`.
final class RunningAgent: Sendable {
    /// The options with which the service is started.
    struct Options: Sendable {
        /// The words that start the service in other namespaces: `unshare …` or `nsenter …`; empty for the machine's
        /// own.
        var launcher: [String] = []
        /// Shell lines that run before the service, in its process.
        var preparation = ""
        /// More arguments of the service.
        var arguments: [String] = []
        /// More variables of the service.
        var environment: [String: String] = [:]
        /// True if it serves a root directory; otherwise it serves the system that it finds, which must not be the
        /// machine's: then it needs a launcher, and ends before it starts in a namespace of the machine's own.
        var isRooted = true
    }

    let board: Board
    private let options: Options
    private let notify: NotifySocket
    private let pidFile: String
    private let running: Task<ChildResult, any Error>
    private let ended: Mutex<ChildResult?>

    /// The variables that it has sent to its service manager.
    var notifications: NotifySocket { notify }

    init(board: Board, number: Int, options: Options) throws {
        self.board = board
        self.options = options
        notify = try NotifySocket(path: board.directory.appending("notify.\(number)"))
        pidFile = board.directory.appending("pid.\(number)")
        var environment = Board.environment
        environment["NOTIFY_SOCKET"] = notify.path
        environment["PID_FILE"] = pidFile
        environment.merge(options.environment) { _, new in new }
        environment["SCRIPT"] = """
            echo $$ >"$PID_FILE"
            \(options.isRooted ? "" : Self.guardian)
            \(options.preparation)
            exec "$CLEATD" "$@"
            """
        try #require(options.isRooted || !options.launcher.isEmpty, "the machine itself is not for tests")
        for kind in ["mnt", "net", "uts"] {
            environment["OWN_\(kind)"] = try SystemCalls.target(ofLink: "/proc/self/ns/\(kind)")
        }
        // The shell that becomes the service makes no other process, so that its number is the service's own.
        let arguments =
            ["--state", board.state, "--runtime", board.runtime, "--config", board.config]
            + (options.isRooted ? ["--root", board.root] : []) + options.arguments
        let command = ChildCommand(
            program: .path("/bin/sh"),
            arguments: ["-ec", "exec \(options.launcher.joined(separator: " ")) sh -ec \"$SCRIPT\" sh \"$@\"", "sh"]
                + arguments,
            environment: environment, outputLimit: 256 << 10, timeout: .seconds(600).onThisMachine)
        let loop = board.loop
        running = loop.task { try await loop.run(command) }
        ended = Mutex(nil)
    }

    /// Ends the shell where one of its namespaces is the machine's.
    private static let guardian = """
        for kind in mnt net uts; do
            eval "own=\\$OWN_$kind"; it=$(readlink /proc/self/ns/$kind)
            test -n "$own" && test -n "$it" && test "$own" != "$it" || exit 99
        done
        """

    private func follow() async {
        guard let result = try? await running.value else { return }
        ended.withLock { $0 = result }
    }

    /// Waits for READY=1.
    ///
    /// - Throws: What the service said where it ended before.
    func waitUntilReady() async throws {
        board.loop.task { await self.follow() }
        try await board.eventually("the service was ready") {
            try self.requireRunning()
            return self.notify.messages.contains("READY=1")
        }
    }

    private func requireRunning() throws {
        guard let result = ended.withLock({ $0 }) else { return }
        throw Failure("cleatd \(result.status): \(result.outputText.suffix(4_000))")
    }

    /// The number of its process.
    var pid: Int32 {
        get throws {
            try #require(Int32(contents(of: FilePath(pidFile)).filter { $0.isNumber }), "\(pidFile) holds no number")
        }
    }

    // MARK: The end

    /// Waits until it has ended by itself.
    func waitUntilEnded() async throws -> ChildResult {
        let running = running
        return try await board.loop.withDeadline(Board.patience) { try await running.value }
    }

    /// Ends it by a signal and gives its status and all that it logged.
    @discardableResult
    func stop(_ signal: Signal = .terminate) async throws -> ChildResult {
        signal.send(to: try pid)
        return try await waitUntilEnded()
    }

    /// Ends it at once; does nothing where it has ended.
    func kill() async {
        running.cancel()
        _ = try? await running.value
    }

    // MARK: Its clients

    /// Opens a connection.
    func connect() async throws -> VarlinkConnection {
        try await VarlinkConnection.connect(path: board.socket, loop: board.loop)
    }

    /// Opens a connection that speaks no protocol.
    func connectPlainly() async throws -> ByteStream {
        try await ByteStream.connect(to: UnixAddress(board.socket), loop: board.loop)
    }

    /// Makes one call on a connection of its own.
    func call<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) async throws -> Method.Reply {
        // A large call takes its time to be made on a busy machine, and a connection without a call is closed.
        try await Method.Reply(wire: call(Method.name, parameters.wire))
    }

    /// Makes one call by name and gives the answer as it came.
    @discardableResult
    func call(_ method: String, _ parameters: JSONObject = [:]) async throws -> JSONObject {
        let connection = try await connect()
        defer { connection.close() }
        return try await connection.call(method, parameters.encoded)
    }

    /// Makes one call that has to fail, and gives the error.
    func refusal(_ method: String, _ parameters: JSONObject = [:]) async throws -> VarlinkError {
        do {
            let reply = try await call(method, parameters)
            throw Failure("\(method) was answered: \(reply)")
        } catch let error as VarlinkClientError {
            return try #require(error.remote, "\(error)")
        }
    }

    /// Changes settings in one transaction.
    @discardableResult
    func set(
        _ changes: [String: JSONValue?], id: String? = nil, expect: GenerationRef? = nil
    ) async throws -> SettingsInterface.Set.Reply {
        try await call(
            SettingsInterface.Set.self,
            .init(
                changes: changes.sorted { $0.key < $1.key }.map { .init(path: $0.key, value: $0.value) }, id: id,
                expect: expect))
    }

    /// Waits until the second copy of the settings, which follows the first commit, is out of the way.
    func waitForCopy() async throws {
        try await board.eventually("the second copy was written") {
            SystemCalls.exists(self.board.state + "/settings.copy.json")
        }
        // The store's thread answers this once it has done everything before.
        _ = try await call(SettingsInterface.Log.self, .init(limit: 1))
    }

    /// Reads one setting.
    func get(_ path: String) async throws -> JSONValue? {
        try await call(SettingsInterface.Get.self, .init(path: path)).setting.value
    }

    /// Returns the status of the service.
    func status() async throws -> ServiceInterface.Status.Reply {
        try await call(ServiceInterface.Status.self, .init())
    }

    /// One of the numbers of its status.
    func counter(_ name: String) async throws -> Int64 {
        try #require(await status().counters.first { $0.name == name }, "no counter is called \(name)").value
    }

    // MARK: Its system

    /// The activity of one of its threads so far.
    struct ThreadState: Hashable {
        let name: String
        let voluntarySwitches: Int
        let involuntarySwitches: Int
    }

    /// Its threads.
    func threads() throws -> [ThreadState] {
        let directory = "/proc/\(try pid)/task"
        return try names(in: directory).sorted().map { number in
            let place = FilePath("\(directory)/\(number)")
            func field(_ name: String, of text: String) -> Int {
                let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
                return line.flatMap { Int($0.drop { !$0.isNumber }) } ?? -1
            }
            let status = try contents(of: place.appending("status"))
            return ThreadState(
                name: try contents(of: place.appending("comm")).filter { !$0.isNewline },
                voluntarySwitches: field("voluntary_ctxt_switches", of: status),
                involuntarySwitches: field("nonvoluntary_ctxt_switches", of: status))
        }
    }
}

extension VarlinkConnection {
    /// Makes a typed call.
    func call<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) async throws -> Method.Reply {
        try await Method.Reply(wire: call(Method.name, parameters.encoded))
    }
}

extension ServiceInterface.Status.Reply {
    /// Returns the state of an event source by its name.
    func observer(_ name: String) -> Observer? { observers.first { $0.name == name } }
}
