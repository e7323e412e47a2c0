import ArgumentParser
import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatVarlink
import SystemPackage
import Testing

@testable import cleat

@Suite struct ServiceSocketTests {
    /// A caller's option, user, variables and existing paths, and the resulting socket.
    struct Case: Sendable, CustomTestStringConvertible {
        let option: String?
        let user: UInt32
        let variables: [String: String]
        let exists: Bool
        let path: String
        var testDescription: String { path }
    }

    @Test(arguments: [
        Case(option: "/o", user: 0, variables: ["CLEAT_SOCKET": "/v"], exists: true, path: "/o"),
        Case(option: nil, user: 0, variables: ["CLEAT_SOCKET": "/v"], exists: true, path: "/v"),
        Case(option: nil, user: 1000, variables: ["CLEAT_SOCKET": ""], exists: true, path: "/run/cleat/socket"),
        Case(option: nil, user: 0, variables: ["XDG_RUNTIME_DIR": "/x"], exists: false, path: "/run/cleat/socket"),
        Case(option: nil, user: 5, variables: ["XDG_RUNTIME_DIR": "/x"], exists: true, path: "/run/cleat/socket"),
        Case(option: nil, user: 5, variables: ["XDG_RUNTIME_DIR": "/x"], exists: false, path: "/x/cleat/socket"),
        Case(option: nil, user: 5, variables: ["XDG_STATE_HOME": "/s"], exists: false, path: "/s/cleat/run/socket"),
        Case(
            option: nil, user: 5, variables: ["HOME": "/h"], exists: false,
            path: "/h/.local/state/cleat/run/socket"),
        Case(option: nil, user: 5, variables: [:], exists: false, path: "/run/cleat/socket"),
    ]) func isFound(_ given: Case) {
        let path = ServiceSocket.path(
            option: given.option, user: given.user, environment: { given.variables[$0] }, exists: { _ in given.exists })
        #expect(path == given.path)
    }
}

@Suite struct RemoteHostTests {
    @Test(
        arguments: [
            ("board", "board", nil), ("root@board", "root@board", nil), ("root@board:2222", "root@board", 2222),
            ("board:22", "board", 22), ("192.0.2.7:22", "192.0.2.7", 22), ("[2001:db8::7]:22", "2001:db8::7", 22),
            ("[2001:db8::7]", "2001:db8::7", nil), ("u@[fe80::1%eth0]:1", "u@fe80::1%eth0", 1),
            ("2001:db8::7", "2001:db8::7", nil), ("a@b@c", "a@b@c", nil),
        ] as [(String, String, Int?)]) func reads(_ text: String, _ target: String, _ port: Int?) throws
    {
        let host = try RemoteHost(text)
        #expect(host.target == target)
        #expect(host.port == port)
    }

    @Test(arguments: [
        "", "@", "u@", "@h", "-oProxyCommand=x", "u@-h", "-u@h", "h:0", "h:65536", "h:x", "h:", "[::1", "[::1]x",
        "h h", "h\n", "h\u{1b}", ":22", "[]:22", "[-x]", String(repeating: "h", count: 600),
    ]) func refuses(_ text: String) {
        #expect {
            try RemoteHost(text)
        } throws: { error in
            (error as? CommandError)?.status == .usage
        }
    }

    @Test func aPortOfItsOwn() throws {
        #expect(try RemoteHost("h", port: 22).port == 22)
        #expect(try RemoteHost("h:23", port: 22).port == 23)
        #expect(throws: CommandError.self) { try RemoteHost("h", port: 0) }
    }
}

@Suite struct RemoteAccessTests {
    @Test func asksForNothingWithoutATerminal() throws {
        var access = RemoteAccess(host: try RemoteHost("root@board:2222"))
        #expect(
            access.arguments == [
                "ssh", "-T", "-o", "ClearAllForwardings=yes", "-o", "ConnectTimeout=15", "-o", "BatchMode=yes", "-o",
                "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3", "-p", "2222", "--", "root@board",
                "cleatd connect",
            ])
        access.interactive = true
        access.program = ["/opt/ssh", "-F", "/c"]
        #expect(access.arguments.starts(with: ["/opt/ssh", "-F", "/c", "-T"]))
        #expect(!access.arguments.contains("BatchMode=yes"))
    }

    @Test func optionsMakeADestination() throws {
        var options = try GlobalOptions.parse(["-H", "board", "--ssh", "a b", "--remote-command", "x"])
        guard case .remote(let access) = try options.board.destination(environment: { _ in "env" }, interactive: true)
        else {
            Issue.record("not remote")
            return
        }
        #expect(access.program == ["a", "b"])
        #expect(access.command == "x")
        options = try GlobalOptions.parse(["-H", "board"])
        guard case .remote(let other) = try options.board.destination(environment: { _ in "env -x" }, interactive: true)
        else {
            Issue.record("not remote")
            return
        }
        #expect(other.program == ["env", "-x"])
        #expect(try GlobalOptions.parse(["--socket", "/s"]).board.destination() == .local(socket: "/s"))
        #expect(throws: CommandError.self) {
            try GlobalOptions.parse(["--socket", "/s", "-H", "b"]).board.destination()
        }
        #expect(throws: CommandError.self) { try GlobalOptions.parse(["-P", "22"]).board.destination() }
    }
}

@Suite struct SSHFailureTests {
    /// The messages of OpenSSH 9 and 10, and other text on its standard error.
    @Test(
        arguments: [
            (255, "ssh: Could not resolve hostname nowhere: Name or service not known\r\n", .resolve),
            (255, "ssh: Could not resolve hostname b: Temporary failure in name resolution\r\n", .resolve),
            (255, "ssh: connect to host b port 22: Connection refused\r\n", .connect),
            (255, "ssh: connect to host b port 22: Connection timed out\r\n", .connect),
            (255, "ssh: connect to host b port 22: No route to host\r\n", .connect),
            (255, "ssh: connect to host b port 22: Network is unreachable\r\n", .connect),
            (
                255,
                "kex_exchange_identification: Connection closed by remote host\r\nConnection closed by 1.2.3.4\r\n",
                .connect
            ),
            (255, "Connection timed out during banner exchange\r\n", .connect),
            (255, "root@b: Permission denied (publickey,password).\r\n", .authenticate),
            (255, "Host key verification failed.\r\n", .identify),
            (
                255, "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\nHost key verification failed.\r\n",
                .identify
            ),
            (255, "Received disconnect from 1.2.3.4 port 22:2: Too many authentication failures\r\n", .authenticate),
            (255, "Unable to negotiate with 1.2.3.4 port 22: no matching host key type found.\r\n", .identify),
            (
                255,
                "Warning: Permanently added 'b' to the list of known hosts.\r\nb: Permission denied (publickey).\r\n",
                .authenticate
            ),
            (255, "", .connect), (255, "something new\r\n", .connect),
            (127, "sh: 1: cleatd: not found\n", .start(status: 127)),
            (127, "bash: line 1: cleatd: command not found\n", .start(status: 127)),
            (126, "sh: cleatd: Permission denied\n", .start(status: 126)),
            (69, "cleatd: no service at /run/cleat/socket\n", .start(status: 69)), (1, "", .start(status: 1)),
            (0, "", .speak), (0, "a banner\n", .speak),
        ] as [(Int32, String, SSHFailure.Step)])
    func isClassified(_ status: Int32, _ errors: String, _ step: SSHFailure.Step) throws {
        let failure = SSHFailure(end: .exited(status), errors: errors)
        #expect(failure.step == step)
        let error = CommandError(failure, access: RemoteAccess(host: try RemoteHost("root@b")))
        #expect(error.status != .success)
        #expect(error.remedy != nil)
        #expect(error.message.contains("b"))
    }

    @Test func aSignalIsTheWay() {
        #expect(SSHFailure(end: .signalled(15), errors: "").step == .connect)
    }

    @Test(arguments: [
        (
            SSHFailure(end: .exited(255), errors: "Could not resolve hostname x"), Layer.resolve,
            CommandStatus.unavailable
        ),
        (SSHFailure(end: .exited(255), errors: "Connection refused"), .connect, .unavailable),
        (SSHFailure(end: .exited(255), errors: "Permission denied"), .authenticate, .denied),
        (SSHFailure(end: .exited(127), errors: ""), .start, .unavailable),
        (SSHFailure(end: .exited(69), errors: ""), .start, .unavailable),
        (SSHFailure(end: .exited(77), errors: ""), .authorise, .denied),
        (SSHFailure(end: .exited(0), errors: ""), .speak, .unavailable),
    ]) func hasALayerAndAStatus(_ failure: SSHFailure, _ layer: Layer, _ status: CommandStatus) throws {
        let error = CommandError(failure, access: RemoteAccess(host: try RemoteHost("b")))
        #expect(error.layer == layer)
        #expect(error.status == status)
    }
}

@Suite struct ExitStatusTests {
    @Test(
        arguments: [
            (.invalidPath(path: "/", message: "m"), 65, .validate),
            (.unknownSetting(path: "a", message: "m"), 65, .validate),
            (.invalidValue([]), 65, .validate), (.tooManyChanges(limit: 1, message: "m"), 65, .validate),
            (.settingLocked([.init(path: "a", code: "locked", reason: "r")]), 77, .authorise),
            (.conflict(.init(store: "s", generation: 1), message: "m"), 75, .validate),
            (.idReused(id: "i", generation: 1, message: "m"), 75, .validate),
            (.unknownGeneration(generation: 1, message: "m"), 65, .validate),
            (.storeFailed(code: "full", message: "m"), 1, .store), (.tooSlow(lost: 1, message: "m"), 1, .speak),
            (.notStreaming(message: "m"), 1, .speak), (.unknownHook(name: "h", message: "m"), 65, .lookup),
            (.schemaRefused(name: "s", message: "m"), 65, .lookup),
            (.permissionDenied(message: "m"), 77, .authorise), (.tooManyConnections(limit: 64), 69, .connect),
        ] as [(APIError, Int32, Layer)])
    func followsTheError(_ error: APIError, _ status: Int32, _ layer: Layer) {
        let shown = CommandError(VarlinkError(error.name, error.parameters))
        #expect(shown.status.rawValue == status)
        #expect(shown.layer == layer)
        #expect(shown.code == error.name)
    }

    @Test(
        arguments: [
            (VarlinkClientError(.connect, "/s", errno: .noSuchFileOrDirectory), 69, .connect),
            (VarlinkClientError(.connect, "/s", errno: .connectionRefused), 69, .connect),
            (VarlinkClientError(.connect, "/s", errno: .permissionDenied), 77, .authorise),
            (VarlinkClientError(.closed, "m"), 69, .speak),
            (VarlinkClientError(.transport, "m", errno: .ioError), 69, .speak),
            (VarlinkClientError(.timedOut, "m"), 69, .speak), (VarlinkClientError(.tooLarge, "m"), 65, .validate),
            (VarlinkClientError(.protocolViolation, "m"), 1, .speak),
            (
                VarlinkClientError(remote: VarlinkError("org.varlink.service.MethodNotFound", ["method": "x"])), 1,
                .speak
            ),
        ] as [(VarlinkClientError, Int32, Layer)])
    func followsTheConnection(_ error: VarlinkClientError, _ status: Int32, _ layer: Layer) {
        let shown = CommandError(error, socket: "/s")
        #expect(shown.status.rawValue == status)
        #expect(shown.layer == layer)
        #expect(shown.remedy?.isEmpty == false)
    }
}
