/// The access to a remote board's service: the host, the ssh program and the command that ssh runs there.
struct RemoteAccess: Hashable, Sendable {
    /// The environment variable that names the ssh program.
    static let variable = "CLEAT_SSH"

    var host: RemoteHost
    /// The ssh program and its first arguments.
    var program: [String] = ["ssh"]
    /// The command that runs on the board.
    var command = "cleatd connect"
    /// True if ssh may ask for a password.
    var interactive = false
    /// True if ssh's error output is passed on as it arrives; false if it belongs in the JSON of the error.
    var showsErrors = true

    /// The time limit for ssh to connect, in seconds.
    var patience = 15
    /// More options of ssh's configuration; of two with the same name the first applies, so these precede the
    /// keep-alives.
    var options: [String] = []

    /// The options that end ssh 45 seconds after a link has died: a board without its address or power sends no notice.
    private static let keepAlive = ["ServerAliveInterval=15", "ServerAliveCountMax=3"]

    /// The address at which the host is searched for; nil for the host's own.
    var address: String?
    /// The name of the board in messages.
    var shown: String { address ?? host.target }

    /// The command line of ssh.
    var arguments: [String] {
        var arguments = program
        arguments += ["-T", "-o", "ClearAllForwardings=yes", "-o", "ConnectTimeout=\(patience)"]
        if !interactive { arguments += ["-o", "BatchMode=yes"] }
        for option in options + Self.keepAlive { arguments += ["-o", option] }
        if let port = host.port { arguments += ["-p", "\(port)"] }
        return arguments + ["--", host.target, command]
    }

    /// The same access with options that let ssh notice a dead link within 15 seconds.
    var watched: RemoteAccess {
        var access = self
        access.options += ["ServerAliveInterval=5", "ServerAliveCountMax=3"]
        return access
    }
}

extension RemoteAccess {
    /// Returns the access to the same board at another address, with the same user, port, keys and proxy.
    ///
    /// Only a known key under the host's former name is accepted: ssh does not ask, and no other board is mistaken for
    /// this one. A shared background connection of ssh is not used, because it leads to the former address.
    ///
    /// - Parameters:
    ///   - address: the numeric address.
    ///   - key: the name under which the host's key is known.
    /// - Returns: the access.
    func moved(to address: String, key: String) -> RemoteAccess {
        var access = watched
        access.options += [
            "HostName=\(address)", "HostKeyAlias=\(key)", "StrictHostKeyChecking=yes", "CheckHostIP=no",
            "ControlPath=none",
        ]
        access.address = address
        access.patience = 10
        access.showsErrors = false
        return access
    }

    /// The same access without a shared background connection of ssh, which may be dead.
    var renewed: RemoteAccess {
        var access = watched
        access.options.append("ControlPath=none")
        access.showsErrors = false
        return access
    }
}
