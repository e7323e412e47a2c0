import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

/// A directory with everything that one service keeps, and the services and commands that a test starts on it.
///
/// Whatever was started is dead when ``with(_:)`` returns.
final class Board: Sendable {
    /// The time limit of any operation on a machine that is busy with other tests.
    static let patience = Duration.seconds(60).onThisMachine

    let loop: EventLoop
    let directory: TemporaryDirectory
    private let agents = Mutex<[RunningAgent]>([])
    private let namespaces = Mutex<[PrivateNamespace]>([])

    private init(loop: EventLoop) throws {
        self.loop = loop
        directory = try TemporaryDirectory()
        // A hook's program and every directory above it must be safe; the state and socket directories are made by
        // the service itself.
        try SystemCalls.makeDirectory(config)
        try SystemCalls.makeDirectory(hooks)
        try SystemCalls.makeDirectory(root)
        try makeZones(below: "root")
    }

    /// The number of zones `Etc/GMT-0`, `Etc/GMT-1`, … in the tz database below ``root``, in addition to UTC and
    /// Europe/Berlin.
    static let zones: Int64 = 12

    /// Makes a tz database below a directory of the board; its files are no real zones, since only their names count.
    func makeZones(below root: String) throws {
        for part in ["usr", "usr/share", "usr/share/zoneinfo", "usr/share/zoneinfo/Etc", "usr/share/zoneinfo/Europe"] {
            try directory.makeDirectory("\(root)/\(part)")
        }
        for zone in ["UTC", "Europe/Berlin"] + (0..<Self.zones).map({ "Etc/GMT-\($0)" }) {
            try directory.write("zone", to: "\(root)/usr/share/zoneinfo/\(zone)")
        }
    }

    /// Runs a test's body on a loop of its own, once there is a place for its board.
    static func with<T: Sendable>(_ body: @escaping @Sendable (Board) async throws -> T) async throws -> T {
        try await BoardPlaces.shared.withPlace { try await withLoopOfItsOwn(body) }
    }

    private static func withLoopOfItsOwn<T: Sendable>(
        _ body: @escaping @Sendable (Board) async throws -> T
    ) async throws -> T {
        try await withLoop { loop in
            let board = try Board(loop: loop)
            do {
                let result = try await body(board)
                await board.end()
                return result
            } catch {
                await board.end()
                throw error
            }
        }
    }

    private func end() async {
        // They know the board: kept in its hands, neither it nor its directory would ever go.
        for agent in Self.takeAll(agents) { await agent.kill() }
        for namespace in Self.takeAll(namespaces) { await namespace.end() }
    }

    private static func takeAll<Element: Sendable>(_ list: borrowing Mutex<[Element]>) -> [Element] {
        list.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }

    // MARK: Places

    var state: String { directory.appending("state") }
    var runtime: String { directory.appending("run") }
    var config: String { directory.appending("etc") }
    var hooks: String { directory.appending("etc/hooks.d") }
    var root: String { directory.appending("root") }
    var socket: String { runtime + "/socket" }
    var store: String { state + "/settings.db" }

    /// Writes a hook file.
    func write(hook name: String, _ text: String) throws {
        try directory.write(text, to: "etc/hooks.d/\(name).json5")
    }

    /// Writes a program, executable by everyone.
    @discardableResult
    func write(program name: String, _ text: String) throws -> String {
        try directory.write("#!/bin/sh\n\(text)\n", to: name, mode: 0o755)
    }

    /// Waits for a condition with the patience of a busy machine.
    ///
    /// - Parameters:
    ///   - what: The expected condition.
    ///   - state: The state to show if the condition was not met.
    ///   - limit: The longest time.
    ///   - condition: Returns true if the condition is met.
    /// - Throws: ``Failure`` when it took too long.
    func eventually(
        _ what: String, showing state: @autoclosure @Sendable () -> String = "", within limit: Duration = patience,
        _ condition: @Sendable () async throws -> Bool
    ) async throws {
        guard try await loop.eventually(within: limit, condition) else {
            throw Failure("it took too long until \(what) \(state())")
        }
    }

    // MARK: Programs

    /// Starts the service and waits until it says that it is ready.
    func start(_ options: RunningAgent.Options = .init()) async throws -> RunningAgent {
        let number = agents.withLock { $0.count }
        let agent = try RunningAgent(board: self, number: number, options: options)
        agents.withLock { $0.append(agent) }
        try await agent.waitUntilReady()
        return agent
    }

    /// The service that was started last.
    var lastAgent: RunningAgent? { agents.withLock { $0.last } }

    /// Makes a network, mounts and a host name of the test's own, in which services can be started one after another.
    func makeNamespace(_ preparation: String = "") async throws -> PrivateNamespace {
        let namespace = try await PrivateNamespace(board: self, preparation: preparation)
        namespaces.withLock { $0.append(namespace) }
        return namespace
    }

    /// Runs the service on a state from which it cannot start, to its end.
    func fail(_ options: RunningAgent.Options = .init()) async throws -> ChildResult {
        let number = agents.withLock { $0.count }
        let agent = try RunningAgent(board: self, number: number, options: options)
        agents.withLock { $0.append(agent) }
        return try await agent.waitUntilEnded()
    }

    /// Runs a shell script to its end, with `$D`, `$CLEAT` and `$CLEATD` in its environment.
    func script(
        _ text: String, _ arguments: [String] = [], environment: [String: String] = [:],
        user: ChildCommand.User? = nil, input: String? = nil
    ) async throws -> Finished {
        let errorFile = directory.appending("errors-\(UInt64.random(in: 0 ... .max))")
        var variables = Self.environment
        variables["D"] = directory.text
        variables["CLEAT_SOCKET"] = socket
        variables.merge(environment) { _, new in new }
        // A user other than the owner of the directory could not make the file there.
        let redirection = user == nil ? "exec 2>\"\(errorFile)\"\n" : ""
        let result = try await loop.run(
            ChildCommand(
                program: .path("/bin/sh"), arguments: ["-c", redirection + text, "sh"] + arguments,
                environment: variables, input: input.map { Array($0.utf8) }, outputLimit: 8 << 20,
                timeout: Self.patience, user: user))
        guard case .exited(let status) = result.status, !result.timedOut else {
            throw Failure("\(text) \(result.status), timed out: \(result.timedOut): \(result.outputText.suffix(2_000))")
        }
        let errors = SystemCalls.exists(errorFile) ? try contents(of: FilePath(errorFile)) : ""
        return Finished(status: status, output: result.outputText, errorText: errors)
    }

    /// Runs `cleat` to its end, against this board's service.
    func cleat(_ arguments: String..., environment: [String: String] = [:]) async throws -> Finished {
        try await cleat(arguments, environment: environment)
    }

    /// Runs `cleat` to its end.
    func cleat(_ arguments: [String], environment: [String: String] = [:]) async throws -> Finished {
        try await script(#"exec "$CLEAT" "$@""#, arguments, environment: environment)
    }

    /// The result of a program.
    struct Finished: Sendable {
        let status: Int32
        let output: String
        let errorText: String

        /// The lines of the output.
        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// The environment of every program of a test.
    static let environment = [
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
        "CLEAT": TestPlaces.program("cleat").string,
        "CLEATD": TestPlaces.program("cleatd").string,
    ]
}

/// Says what a test could not do.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
