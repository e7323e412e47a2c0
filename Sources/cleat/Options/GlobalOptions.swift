public import ArgumentParser
import CleatAPI
import CleatViews
import SystemPackage

/// The options of every command.
struct GlobalOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: .init("Connect to a remote board over SSH.", valueName: "[user@]host[:port]"))
    var host: String?

    @Option(name: [.customShort("P"), .long], help: "The port of the remote board's SSH server.")
    var port: Int?

    @Option(help: .init("The SSH program with its arguments (also: CLEAT_SSH).", valueName: "program"))
    var ssh: String?

    @Option(help: .init("The command that SSH starts on the remote board.", valueName: "command"))
    var remoteCommand: String = "cleatd connect"

    @Option(help: .init("The socket of the service (also: CLEAT_SOCKET).", valueName: "path"), completion: .file())
    var socket: String?

    @Option(
        help: .init(
            "Configure the system below a directory, through its service or one that this command starts.",
            valueName: "directory"), completion: .directory)
    var root: String?

    @Option(help: .init("The output format: text, json or json-lines.", valueName: "form"))
    var output: OutputForm = .text
}

extension OutputForm: ExpressibleByArgument {}

extension GlobalOptions {
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
