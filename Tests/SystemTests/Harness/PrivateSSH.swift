import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// A private sshd on loopback with keys of its own, and what reaches it.
struct PrivateSSH: Sendable {
    let board: Board
    let port: Int

    static let reason: Comment = "needs root, ssh, sshd and ssh-keygen, to start a private sshd on loopback"
    static let isAvailable = Machine.can(
        "test $(id -u) -eq 0 && unshare --mount true && command -v sshd && command -v ssh && command -v ssh-keygen",
        reason)

    /// Starts the server in the board's directory; it ends with the body.
    static func with(_ body: @escaping @Sendable (PrivateSSH) async throws -> Void) async throws {
        try await Board.with { board in
            let made = try await board.script(
                """
                cd $D
                for key in host user stranger; do ssh-keygen -q -t ed25519 -N '' -f key-$key || exit; done
                cp key-user.pub authorized
                """)
            try #require(made.status == 0, "\(made.errorText)")
            // If another program takes the port before the bind, sshd reports that, and the next one is tried.
            for _ in 0..<20 {
                let port = Int.random(in: 20_000...60_000)
                if let server = try await start(board, port: port) {
                    let ssh = PrivateSSH(board: board, port: port)
                    do {
                        try await body(ssh)
                    } catch {
                        server.cancel()
                        _ = try? await server.value
                        throw error
                    }
                    server.cancel()
                    _ = try? await server.value
                    return
                }
            }
            throw Failure("no port was free for sshd")
        }
    }

    private static func start(_ board: Board, port: Int) async throws -> Task<ChildResult, any Error>? {
        let place = board.directory
        let pid = place.appending("sshd.pid")
        try place.write(
            """
            Port \(port)
            ListenAddress 127.0.0.1
            HostKey \(place.appending("key-host"))
            AuthorizedKeysFile \(place.appending("authorized"))
            PidFile \(pid)
            StrictModes no
            UsePAM no
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            PermitRootLogin prohibit-password
            PrintMotd no

            """, to: "sshd_config")
        try place.write("[127.0.0.1]:\(port) \(place.read("key-host.pub"))", to: "known_hosts")
        let loop = board.loop
        var environment = Board.environment
        environment["D"] = place.text
        // sshd wants a directory below /run; it gets a /run of its own.
        environment["SCRIPT"] = """
            mount -t tmpfs -o mode=755 none /run
            mkdir -m 0755 /run/sshd
            exec $(command -v sshd) -D -e -f $D/sshd_config
            """
        let command = ChildCommand(
            program: .path("/bin/sh"), arguments: ["-c", "exec unshare --mount sh -ec \"$SCRIPT\""],
            environment: environment, timeout: .seconds(600).onThisMachine)
        let server = loop.task { try await loop.run(command) }
        // sshd writes its number once it listens.
        let isThere = try await loop.eventually(within: .seconds(20).onThisMachine) { SystemCalls.exists(pid) }
        if isThere { return server }
        server.cancel()
        _ = try? await server.value
        return nil
    }

    /// Returns the ssh command that reaches the server with no file of the user's own; `isShared` has all commands of a
    /// test use one connection, which saves most of the time of each.
    func program(key: String = "key-user", knownHosts: String = "known_hosts", isShared: Bool = false) -> String {
        let place = board.directory
        let sharing = "-o ControlMaster=auto -o ControlPersist=60 -o ControlPath=\(place.appending("ssh-control"))"
        return "ssh -F none -i \(place.appending(key)) -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes "
            + "-o UserKnownHostsFile=\(place.appending(knownHosts)) -o GlobalKnownHostsFile=none"
            + (isShared ? " " + sharing : "")
    }

    /// Runs `cleat` against the board behind the server.
    func cleat(
        _ arguments: [String], host: String? = nil, ssh: String? = nil, remote: String? = nil,
        environment: [String: String] = [:], input: String? = nil
    ) async throws -> Board.Finished {
        let relay = TestPlaces.program("cleatd").string + " connect --socket \(board.socket)"
        // The socket is reached through the far side, and through nothing else.
        let variables = ["CLEAT_SOCKET": "/nowhere/socket", "HOME": board.directory.text]
        return try await board.script(
            #"exec "$CLEAT" "$@""#,
            ["-H", host ?? "root@127.0.0.1:\(port)", "--ssh", ssh ?? program(), "--remote-command", remote ?? relay]
                + arguments, environment: variables.merging(environment) { $1 }, input: input)
    }
}
