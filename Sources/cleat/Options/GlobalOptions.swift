public import ArgumentParser
import CleatAPI
import CleatViews

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
    var remoteCommand: String = BoardOptions.remoteCommand

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
    /// The options without the argument parser's types.
    var board: BoardOptions {
        BoardOptions(
            host: host, port: port, ssh: ssh, remoteCommand: remoteCommand, socket: socket, root: root, output: output)
    }
}
