import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite("A remote board", .serialized, .enabled(if: PrivateSSH.isAvailable, PrivateSSH.reason))
struct RemoteTests {
    @Test("Through ssh the results are those on the board")
    func verbs() async throws {
        try await PrivateSSH.with { ssh in
            let agent = try await ssh.board.start()
            let set = try await ssh.cleat(["set", "system/hostname=pump-7", "network/interfaces/eth0/mtu=1400"])
            #expect(set.status == 0, "\(set.errorText)")
            #expect(try await agent.get("system/hostname") == "pump-7")
            #expect(try await ssh.cleat(["get", "system/hostname"]).output == "pump-7\n")
            let list = try await ssh.cleat(["list", "--output", "json"])
            #expect(try JSONReader.read(list.output).objectValue?["settings"]?.arrayValue?.isEmpty == false)
            #expect(try await ssh.cleat(["devices"]).output.contains("/devices/virtual/mem/null"))
            #expect(try await ssh.cleat(["status"]).output.contains("generation 1"))
            // What the service refuses is refused with the same status.
            #expect(try await ssh.cleat(["set", "network/interfaces/eth0/mtu=1"]).status == 65)
            #expect(try await ssh.cleat(["set", "system/hostname=x", "--expect", "0000:1"]).status == 75)
            // Files go both ways, in pieces.
            let place = ssh.board.directory
            let made = try await ssh.board.script("head -c 1300000 /dev/urandom >$D/big")
            #expect(made.status == 0)
            let put = try await ssh.cleat(["file", "put", place.appending("big"), "documents/"])
            #expect(put.status == 0, "\(put)")
            let got = try await ssh.cleat(["file", "get", "documents/big", place.appending("back")])
            #expect(got.status == 0 && got.errorText.isEmpty, "\(got)")
            #expect(try await ssh.board.script("cmp $D/big $D/back").status == 0)
            #expect(try await ssh.cleat(["file", "cat", "documents/none"]).status == 65)
            // What is followed is followed through the relay, too; its end ends everything.
            let instance = try await agent.status().instance
            let events = try await ssh.cleat([
                "events", "--source", "setting", "--instance", instance, "--after", "0", "--count", "2",
            ])
            #expect(events.status == 0 && events.lines.count >= 2, "\(events)")
            try await ssh.board.eventually("the relays were gone") { try await agent.status().connections == 1 }
        }
    }

    /// On a quiet board nothing else would ever end them: ssh waits for the relay, and the relay for the next event.
    @Test("A reader that ends early leaves neither ssh nor a connection", arguments: ["-n 1", "| true"])
    func nothingIsLeft(end: String) async throws {
        try await PrivateSSH.with { ssh in
            let board = ssh.board
            let agent = try await board.start()
            for number in 1...3 { try await agent.set(["system/hostname": .string("h\(number)")]) }
            let instance = try await agent.status().instance
            let pid = board.directory.appending("ssh.pid")
            try board.write(program: "ssh", "echo $$ >\(pid); exec \(ssh.program()) \"$@\"")
            let relay = TestPlaces.program("cleatd").string + " connect --socket \(board.socket)"
            // The shell stays until ssh has gone: with the shell's end everything that it left would be killed.
            let result = try await board.script(
                """
                "$CLEAT" -H "$1" --ssh $D/ssh --remote-command "$2" events --source setting \\
                    --instance "$3" --after 0 \(end)
                while kill -0 $(cat \(pid)) 2>/dev/null; do sleep 0.1; done
                """, ["root@127.0.0.1:\(ssh.port)", relay, instance])
            #expect(result.lines.count == (end == "-n 1" ? 1 : 0), "\(result)")
            try await board.eventually("the relay had gone") { try await agent.status().connections == 1 }
        }
    }

    @Test(
        "Commands that follow end with the service, and report a restart or that the link is down", .tags(.fault),
        arguments: [true, false])
    func endOfAService(isRestart: Bool) async throws {
        try await PrivateSSH.with { ssh in
            let board = ssh.board
            let agent = try await board.start()
            let pid = board.directory.appending("ssh.pid")
            try board.write(program: "ssh", "echo $$ >\(pid); exec \(ssh.program()) \"$@\"")
            let relay = TestPlaces.program("cleatd").string + " connect --socket \(board.socket)"
            let following = board.loop.task {
                try await board.script(
                    #""$CLEAT" -H "$1" --ssh $D/ssh --remote-command "$2" watch system --output json >$D/told"#,
                    ["root@127.0.0.1:\(ssh.port)", relay])
            }
            let told = board.directory.appending("told")
            try await board.eventually("the command followed") {
                try SystemCalls.exists(told) && contents(of: FilePath(told)).contains("hostname")
            }
            if isRestart {
                try await agent.stop()
            } else {
                #expect(try await board.script("kill -9 $(cat \(pid))").status == 0)
            }
            let end = try await following.value
            #expect(end.status == 69, "\(end)")
            let words = isRestart ? "closed the connection: it was restarted" : "was lost"
            #expect(end.errorText.contains(words) && !end.errorText.contains("login shell"), "\(end)")
        }
    }

    @Test("Each failure names its layer")
    func failures() async throws {
        try await PrivateSSH.with { ssh in
            let agent = try await ssh.board.start()
            let garbage = try ssh.board.write(program: "garbage", "echo Welcome to the board; exec cat")
            let denied = try ssh.board.write(program: "denied", "echo no >&2; exit 77")
            try ssh.board.directory.write(
                "[127.0.0.1]:\(ssh.port) \(ssh.board.directory.read("key-stranger.pub"))", to: "wrong_hosts")
            let relay = TestPlaces.program("cleatd").string + " connect --socket "
            struct Case {
                var name: String
                var host: String?
                var ssh: String?
                var remote: String?
                var layer: String
                var status: Int32
            }
            let cases = [
                Case(name: "unknown host", host: "root@nowhere.invalid", layer: "resolve", status: 69),
                // No program listens on port 1 (tcpmux).
                Case(name: "closed port", host: "root@127.0.0.1:1", layer: "connect", status: 69),
                Case(name: "wrong key", ssh: ssh.program(key: "key-stranger"), layer: "authenticate", status: 77),
                Case(
                    name: "unknown user", host: "nobody-of-that-name@127.0.0.1:\(ssh.port)", layer: "authenticate",
                    status: 77),
                Case(
                    name: "another host's key", ssh: ssh.program(knownHosts: "wrong_hosts"), layer: "authenticate",
                    status: 77),
                Case(name: "no cleatd", remote: "/nowhere/cleatd connect", layer: "start", status: 69),
                Case(name: "no service", remote: relay + "/nowhere/socket", layer: "start", status: 69),
                Case(name: "denied", remote: denied, layer: "authorise", status: 77),
                Case(name: "garbage", remote: garbage, layer: "speak", status: 69),
                Case(name: "nothing", remote: "true", layer: "speak", status: 69),
            ]
            for given in cases {
                let result = try await ssh.cleat(
                    ["get", "system/hostname", "--output", "json"], host: given.host, ssh: given.ssh,
                    remote: given.remote)
                #expect(result.status == given.status, "\(given.name): \(result)")
                #expect(result.output.isEmpty)
                let error = try #require(JSONReader.read(result.errorText).objectValue, "\(given.name): \(result)")
                #expect(error["layer"]?.stringValue == given.layer, "\(given.name): \(error)")
                let text = try await ssh.cleat(
                    ["get", "system/hostname"], host: given.host, ssh: given.ssh, remote: given.remote)
                let message = try #require(error["message"]?.stringValue)
                #expect(text.errorText.contains("cleat: \(message)\n"), "\(given.name): \(text.errorText)")
            }
            #expect(try await agent.get("system/hostname") == nil)
        }
    }
}
