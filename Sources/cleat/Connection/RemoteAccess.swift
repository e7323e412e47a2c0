/// How a far board's service is reached: the host, the ssh program and what it starts there.
struct RemoteAccess: Hashable, Sendable {
    /// The variable that names the ssh program.
    static let variable = "CLEAT_SSH"

    var host: RemoteHost
    /// The ssh program and its first arguments.
    var program: [String] = ["ssh"]
    /// What runs on the board.
    var command = "cleatd connect"
    /// Whether a person can be asked for a password.
    var interactive = false
    /// Whether what ssh complains about is passed on as it comes; a program that reads JSON gets it in the error.
    var passesOnComplaints = true

    /// How long ssh tries to connect, in seconds.
    var patience = 15
    /// More options of ssh's configuration; of two of the same name the first counts, so the user's own come before.
    var options: [String] = []

    /// Has ssh end 45 seconds after a link has died: a board that has lost its address or its power does not say so.
    private static let keepAlive = ["ServerAliveInterval=15", "ServerAliveCountMax=3"]

    /// The address that the host is sought at, where that is not its own.
    var address: String?
    /// What people are told of where it is sought.
    var shown: String { address ?? host.target }

    /// The whole command line of ssh.
    var arguments: [String] {
        var arguments = program
        arguments += ["-T", "-o", "ClearAllForwardings=yes", "-o", "ConnectTimeout=\(patience)"]
        if !interactive { arguments += ["-o", "BatchMode=yes"] }
        for option in options + Self.keepAlive { arguments += ["-o", option] }
        if let port = host.port { arguments += ["-p", "\(port)"] }
        return arguments + ["--", host.target, command]
    }

    /// The same, where ssh notices a dead link within 15 seconds.
    var watched: RemoteAccess {
        var access = self
        access.options += ["ServerAliveInterval=5", "ServerAliveCountMax=3"]
        return access
    }
}
