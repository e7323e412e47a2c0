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

    /// The names of the options.
    static let names = ["--host", "--port", "--ssh", "--remote-command", "--socket", "--root", "--output"]

    /// Returns the short name of an option; nil for most of them.
    static func letter(of name: String) -> String? { name == "--host" ? "-H" : name == "--port" ? "-P" : nil }

    /// Takes the value of an option, by its long name; returns false for one that is not valid.
    mutating func take(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--host": host = value
        case "--port":
            port = Int(value)
            return port != nil
        case "--ssh": ssh = value
        case "--remote-command": remoteCommand = value
        case "--socket": socket = value
        case "--root": root = value
        default:
            guard let form = OutputForm(rawValue: value) else { return false }
            output = form
        }
        return true
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
