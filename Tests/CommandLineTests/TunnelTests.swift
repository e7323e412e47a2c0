import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@testable import cleat

/// The way through ssh, with programs in its place that end as ssh does; the real one is in SystemTests.
@Suite struct TunnelTests {
    /// A program in the place of ssh, and the expected result.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: String
        let status: Int32
        let layer: String
        init(_ name: String, _ script: String, _ status: Int32, _ layer: String) {
            testDescription = name
            self.script = script
            self.status = status
            self.layer = layer
        }
    }

    /// Writes a script and names it with its shell: a file that has just been written can be busy where other tests
    /// start processes at the same time.
    private static func program(_ script: String, in board: CannedBoard) throws -> String {
        "/bin/sh " + (try board.directory.write(script + "\n", to: "ssh"))
    }

    @Test(arguments: [
        Case(
            "resolve", "echo 'ssh: Could not resolve hostname b: Name or service not known' >&2; exit 255", 69,
            "resolve"),
        Case("refused", "echo 'ssh: connect to host b port 22: Connection refused' >&2; exit 255", 69, "connect"),
        Case("denied", "echo 'root@b: Permission denied (publickey).' >&2; exit 255", 77, "authenticate"),
        Case("host key", "echo 'Host key verification failed.' >&2; exit 255", 77, "authenticate"),
        Case("no cleatd", "echo 'sh: 1: cleatd: not found' >&2; exit 127", 69, "start"),
        Case("no cleatd, said on the wrong stream", "echo 'cleatd: not found'; exit 127", 69, "start"),
        Case("no service", "echo 'cleatd: no service' >&2; exit 69", 69, "start"),
        Case("garbage", "printf 'Welcome to the board!\\n\\0'; exec cat", 69, "speak"),
        Case("endless garbage", "exec yes Welcome", 69, "speak"),
        Case("nothing", "exit 0", 69, "speak"),
        Case("gone", "kill -9 $$", 69, "connect"),
        Case("a megabyte of errors", "head -c 1000000 /dev/zero >&2; exit 255", 69, "connect"),
        Case(
            "a shared connection keeps standard error",
            "sleep 30 >/dev/null </dev/null & echo 'b: Permission denied (publickey).' >&2; exit 255", 77,
            "authenticate"),
    ]) func isExplained(_ given: Case) async throws {
        try await CannedBoard.serving([:]) { board in
            let ssh = try Self.program(given.script, in: board)
            let json = try await board.cleat(
                "-H", "root@b", "get", "a", "--output", "json", environment: ["CLEAT_SSH": ssh])
            #expect(json.status == given.status)
            // One JSON value, and no text of ssh.
            let error = try #require(try JSONReader.read(json.errorText).objectValue, "\(json.errorText)")
            #expect(error["layer"]?.stringValue == given.layer)
        }
    }

    @Test func messagesOfSSHArePassedOn() async throws {
        try await CannedBoard.serving([:]) { board in
            let ssh = try Self.program(#"echo "$*" >&2; exit 255"#, in: board)
            let text = try await board.cleat("-H", "root@b:2222", "--ssh", "\(ssh) -F none", "status")
            let lines = text.errorText.split(separator: "\n").map(String.init)
            #expect(
                lines.first
                    == "-F none -T -o ClearAllForwardings=yes -o ConnectTimeout=15 -o BatchMode=yes "
                    + "-o ServerAliveInterval=15 -o ServerAliveCountMax=3 -p 2222 -- root@b "
                    + "cleatd connect")
            let message = try #require(lines.dropFirst().first)
            #expect(message.hasPrefix("cleat: ") && message.contains("root@b"), "\(message)")
        }
    }

    @Test func sshIsMissing() async throws {
        try await CannedBoard.serving([:]) { board in
            let result = try await board.cleat("-H", "b", "--ssh", "/nowhere/ssh", "status", "--output", "json")
            #expect(result.status == 69 && result.error == ["Start", "start"], "\(result)")
            #expect(result.errorText.contains("/nowhere/ssh"), "\(result)")
            #expect(result.errorText.contains("\(Errno.noSuchFileOrDirectory)"), "\(result)")
        }
    }
}
