import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAdapters

@Suite("Commands of schema files", .tags(.board))
struct CommandRunTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Runs a script of the directory's as a rule would have it.
    private func run(
        _ script: String, mode: UInt16 = 0o755, timeout: Duration = .seconds(30).onThisMachine, showsOutput: Bool = true
    ) async throws -> ActionResult {
        let program = try directory.write("#!/bin/sh\n\(script)\n", to: "script", mode: mode)
        let command = ActionCommand(
            "run script", program: program, ["one", "two"], timeLimit: timeout,
            showsOutput: showsOutput)
        return try await withLoop { loop in
            let runner = ActionRunner(on: loop, try SystemResources(root: nil))
            let results = await runner.run([.command(command)], stopsAtFailure: true)
            return try #require(results.first)
        }
    }

    @Test("A clean environment, the arguments, no input")
    func environment() async throws {
        let result = try await run(
            "[ \"$1$2$PATH$LC_ALL$HOME\" = onetwo/usr/sbin:/usr/bin:/sbin:/binC ] && ! read line && [ $PWD = / ]")
        #expect(result.outcome == .done)
    }

    @Test(arguments: [
        ("echo why >&2; exit 3", "exited with 3, saying “why”"), ("exit 3", "exited with 3 without output"),
        ("kill -9 $$", "was ended by signal 9 without output"),
    ])
    func failures(script: String, text: String) async throws {
        let result = try await run(script)
        #expect(
            result.outcome
                == .failed("Could not run script: \(directory.appending("script")) \(text); see its own log."))
    }

    @Test("A possible secret is not reported", arguments: ["echo why; exit 3", "echo why >&2; exit 3", "exit 3"])
    func hiddenOutput(script: String) async throws {
        let result = try await run(script, showsOutput: false)
        let text = "exited with 3; its output is hidden, since its rules use a secret; see its own log."
        #expect(result.outcome == .failed("Could not run script: \(directory.appending("script")) \(text)"))
    }

    @Test("A command that hangs is ended with all that it has started")
    func hangs() async throws {
        let result = try await run(
            "trap '' TERM; echo $$ > \(directory.appending("pid")); sleep 1000 & sleep 1000",
            timeout: .milliseconds(300))
        guard case .failed(let text) = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
        #expect(
            text.utf8.starts(with: "Could not run script: \(directory.appending("script")) did not end within".utf8))
        let group = try directory.read("pid").split(separator: "\n")[0]
        #expect(try await eventually { try Self.members(ofGroup: String(group)).isEmpty })
    }

    @Test("A flood of output is read and truncated; remaining children are killed, and not waited for")
    func floodAndChildren() async throws {
        let flood = try await run("head -c 20000000 /dev/zero")
        #expect(flood.outcome == .done)
        let stays = try await run("echo $$ > \(directory.appending("pid")); sleep 1000 & exit 0")
        #expect(stays.outcome == .done)
        let group = try directory.read("pid").split(separator: "\n")[0]
        #expect(try await eventually { try Self.members(ofGroup: String(group)).isEmpty })
    }

    @Test("A program that others could have written is not run")
    func untrusted() async throws {
        let result = try await run("echo ran > \(directory.appending("ran"))", mode: 0o757)
        guard case .failed(let text) = result.outcome else {
            Issue.record("\(result.outcome)")
            return
        }
        let distrust = try #require(throws: TrustError.self) {
            _ = try TrustPolicy.current().open(directory.appending("script"), for: .running)
        }
        #expect(distrust.errno == .notPermitted && text.contains("\(distrust)"), "\(text)")
        #expect(throws: Errno.self) { try directory.read("ran") }
    }

    /// The processes of a group that have not ended.
    private static func members(ofGroup group: String) throws -> [String] {
        try names(in: "/proc").filter { name in
            guard Int(name) != nil, let stat = try? contents(of: FilePath("/proc/\(name)/stat")),
                let end = stat.lastIndex(of: ")")
            else { return false }
            let fields = stat[stat.index(after: end)...].split(separator: " ")
            return fields.count > 2 && fields[2] == group && fields[0] != "Z"
        }
    }
}
