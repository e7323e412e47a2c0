import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatIO

@Suite("child processes that answer", .timeLimit(.minutes(TestMachine.slowness))) struct CoprocessTests {
    private let thread: LoopThread

    init() throws { thread = try LoopThread(name: "coprocess") }

    private func start(_ script: String) throws -> (child: Coprocess, output: Descriptor, input: Descriptor) {
        try Coprocess.start(ChildCommand("/bin/sh", ["-c", script]), loop: thread.loop)
    }

    @Test("what is written is answered, and it ends with its input", .tags(.board))
    func answers() throws {
        let (child, output, input) = try start("while read -r line; do echo \"<$line>\"; done; exit 7")
        _ = try input.descriptor.writeAll("one\n".utf8)
        #expect(try output.read(upTo: 64) == Array("<one>\n".utf8))
        #expect(!child.hasEnded)
        input.close()
        #expect(try output.read(upTo: 64) == [])
        #expect(try child.end(within: .seconds(60))?.get() == .exited(7))
        #expect(child.hasEnded)
        #expect(try child.end(within: .zero)?.get() == .exited(7))
    }

    @Test("one that does not end is killed with its group, and its last words are kept", .tags(.board))
    func killed() throws {
        let (child, output, _) = try start("echo 'the sensor is gone' >&2; sleep 600 & echo ready; wait")
        #expect(try output.read(upTo: 64) == Array("ready\n".utf8))
        #expect(child.lastErrors() == "the sensor is gone\n")
        #expect(try child.end(within: .zero)?.get() == .signalled(9))
        #expect(try output.read(upTo: 64) == [], "the whole group has ended")
    }

    @Test("messages that nobody reads do not stop it, and only the last of them are kept")
    func messages() throws {
        let (child, output, _) = try start(
            "i=0; while test $i -lt 20000; do echo \"message $i\"; i=$((i + 1)); done >&2; echo done")
        #expect(try output.read(upTo: 64) == Array("done\n".utf8))
        let words = child.lastErrors()
        #expect(words.hasPrefix("message ") || words.contains("\nmessage "), "\(words)")
        #expect(words.utf8.count <= 512)
    }

    @Test("a program that does not exist is refused")
    func missing() {
        #expect(throws: SpawnError.self) {
            try Coprocess.start(ChildCommand("/nonexistent/program"), loop: thread.loop)
        }
    }
}
