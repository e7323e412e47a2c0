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

    /// The whole command line of ssh.
    var arguments: [String] {
        var arguments = program
        arguments += ["-T", "-o", "ClearAllForwardings=yes", "-o", "ConnectTimeout=15"]
        if !interactive { arguments += ["-o", "BatchMode=yes"] }
        if let port = host.port { arguments += ["-p", "\(port)"] }
        return arguments + ["--", host.target, command]
    }
}
