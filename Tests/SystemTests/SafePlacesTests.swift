import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import CleatVarlink
import Testing

@Suite("Directories of the service", .tags(.board))
struct SafePlacesTests {
    @Test(
        "A directory that others could change is refused, and left as it is",
        arguments: [("--runtime", "0777"), ("--runtime", "1777"), ("--state", "0777"), ("--socket", "0777")])
    func writableByOthers(option: String, mode: String) async throws {
        try await Board.with { board in
            let made = try await board.script("mkdir \"$D/open\" && chmod \(mode) \"$D/open\"")
            #expect(made.status == 0)
            let place = board.directory.appending("open")
            let result = try await board.fail(
                .init(arguments: [option, option == "--socket" ? place + "/socket" : place]))
            #expect(result.status == .exited(1))
            #expect(result.outputText.contains("\(place) "), "\(result.outputText)")
            #expect(try await board.script("ls -A \"$D/open\"").output == "")
        }
    }

    @Test("A socket may lie in a directory such as /tmp")
    func stickySocket() async throws {
        try await Board.with { board in
            #expect(try await board.script("mkdir \"$D/open\" && chmod 1777 \"$D/open\"").status == 0)
            let socket = board.directory.appending("open/socket")
            let agent = try await board.start(.init(arguments: ["--socket", socket]))
            #expect(try await board.cleat("--socket", socket, "get", "agent/log/level").output == "info\n")
            #expect(try await agent.stop().status == .exited(0))
        }
    }

    @Test("A root that is not there is not made, and the service does not start")
    func noRoot() async throws {
        try await Board.with { board in
            let nowhere = board.directory.appending("nowhere")
            let result = try await board.fail(.init(arguments: ["--root", nowhere]))
            #expect(result.status == .exited(1))
            #expect(result.outputText.contains("--root \(nowhere)"), "\(result.outputText)")
            #expect(!SystemCalls.exists(nowhere) && !SystemCalls.exists(board.state))
        }
    }

    @Test("A link below the root that could lead out of it is refused")
    func linkInRoot() async throws {
        try await Board.with { board in
            let made = try await board.script(
                "mkdir -p \"$D/outside\" \"$D/root/var\" && ln -s \"$D/outside\" \"$D/root/var/lib\"")
            #expect(made.status == 0)
            let result = try await board.fail(.init(arguments: ["--state", board.root + "/var/lib/cleat"]))
            #expect(result.status == .exited(1))
            #expect(
                result.outputText.contains("\(board.root)/var/lib "), "\(result.outputText)")
            #expect(try await board.script("ls -A \"$D/outside\"").output == "")
        }
    }

    @Test("Closed standard descriptors are never given to other files")
    func closedDescriptors() async throws {
        try await Board.with { board in
            let agent = try await board.start(.init(preparation: "exec <&- >&- 2>&-"))
            try await agent.set(["system/hostname": "pump-7"])
            let pid = try agent.pid
            let files = try await board.script("for n in 0 1 2; do readlink /proc/\(pid)/fd/$n; done")
            #expect(files.lines == ["/dev/null", "/dev/null", "/dev/null"])
        }
    }

    @Test("A stop before the end of the first scan of devices keeps the saved state")
    func earlyStop() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            _ = try await agent.call("dev.cleat.Events.Devices")
            _ = try await agent.call("dev.cleat.Events.Links")
            try await agent.stop()
            let records = "tr '\\0' '\\n' <\"$D/run/observers\" | grep -c '^/devices/'"
            // How many there are changes with what other tests do; that there are none would mean a lost state.
            #expect(try await board.script(records).output != "0\n")
            for _ in 0..<3 {
                try await board.start().stop()
                #expect(try await board.script(records).output != "0\n")
            }
        }
    }
}
