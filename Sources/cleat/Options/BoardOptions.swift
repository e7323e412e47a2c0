import CleatAPI
import CleatViews
import SystemPackage

/// The options of every command: the board, and the output format.
struct BoardOptions: Hashable, Sendable {
    /// The command that SSH starts on the remote board.
    static let remoteCommand = "cleatd connect"

    var host: String?
    var port: Int?
    var ssh: String?
    var remoteCommand = Self.remoteCommand
    var socket: String?
    var root: String?
    var output = OutputForm.text

    /// Takes an option with its value; returns false for another option, a value that is not valid, or a second one.
    mutating func take(_ option: String, _ value: String) -> Bool {
        func set<Value: Equatable>(_ place: inout Value, _ value: Value?, from start: Value) -> Bool {
            guard let value, place == start else { return false }
            place = value
            return true
        }
        switch option {
        case "-H", "--host": return set(&host, value, from: nil)
        case "-P", "--port": return Int(value).map { set(&port, $0, from: nil) } ?? false
        case "--ssh": return set(&ssh, value, from: nil)
        case "--remote-command": return set(&remoteCommand, value, from: Self.remoteCommand)
        case "--socket": return set(&socket, value, from: nil)
        case "--output": return set(&output, OutputForm(rawValue: value), from: .text)
        default: return false
        }
    }

    /// Returns the service that the options select.
    func destination(
        environment: (String) -> String? = Process.environment, interactive: Bool = Process.isTerminal(.standardError)
    ) throws(CommandError) -> Destination {
        if let root {
            guard host == nil, socket == nil else {
                throw .usage(
                    "--root is a system on this machine and cannot be combined with --host or --socket",
                    remedy: "omit one of them")
            }
            if port == nil, ssh == nil { return try RootService.destination(of: root, environment: environment) }
        }
        guard let host else {
            if port != nil || ssh != nil {
                throw .usage("--port and --ssh require --host", remedy: "add -H user@host")
            }
            return .local(socket: ServiceSocket.path(option: socket))
        }
        if socket != nil {
            throw .usage(
                "--socket is a socket on this machine and cannot be combined with --host",
                remedy: "set \(ServiceSocket.variable) on the board, or use --remote-command")
        }
        var access = RemoteAccess(host: try RemoteHost(host, port: port))
        let program = (ssh ?? environment(RemoteAccess.variable) ?? "").split(separator: " ").map(String.init)
        if !program.isEmpty { access.program = program }
        access.command = remoteCommand
        access.interactive = interactive
        access.showsErrors = output == .text
        return .remote(access)
    }
}
