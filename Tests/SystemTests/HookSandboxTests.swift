import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Hooks with write paths", .tags(.board), .serialized)
struct HookSandboxTests {
    private static let landlock = Landlock.current

    /// Takes the making of Landlock's rules from the kernel that the service sees.
    private static let withoutLandlock = RunningAgent.Options(
        launcher: ["python3", TestPlaces.package.appending("Tests/SystemTests/without_calls.py").string, "444"])

    /// Writes a hook that tries to write inside and outside, and to have a child do it.
    private func write(hook: String, on board: Board, _ members: String) throws {
        let places = "\(board.directory.text)/in \(board.directory.text)/out"
        let script = "for p in \(places); do (sh -c ': >>'$p/\(hook)) 2>/dev/null && echo ${p##*/}; done; exit 0"
        try board.write(
            hook: hook, #"{ match: { source: "agent" }, run: ["/bin/sh", "-c", "\#(script)"], \#(members) }"#)
    }

    private func makePlaces(on board: Board) throws {
        for name in ["in", "out"] { try SystemCalls.makeDirectory(board.directory.appending(name)) }
    }

    @Test(
        "They write there and to no other path, and so do their children",
        .enabled(if: landlock.isSupported, "this kernel has no Landlock"))
    func confined() async throws {
        try await Board.with { board in
            try makePlaces(on: board)
            let inside = board.directory.appending("in")
            try write(hook: "free", on: board, "")
            try write(hook: "strict", on: board, #"writePaths: ["\#(inside)"]"#)
            try write(hook: "nowhere", on: board, "writePaths: []")
            try write(hook: "gone", on: board, #"writePaths: ["\#(inside)/gone"]"#)
            let agent = try await board.start()
            #expect(try await agent.test("free").output == "in\nout\n")
            #expect(try await agent.test("strict").output == "in\n")
            #expect(try await agent.test("nowhere").output == "")
            let gone = try await agent.test("gone")
            #expect(gone.status == .refused && gone.output.contains("\(inside)/gone"), "\(gone)")
            #expect(try names(in: board.directory.appending("out")) == ["free"])
            #expect(
                try await agent.hook("strict").sandbox
                    == HookSandboxInfo(writePaths: [inside], required: true, enforced: true))
            #expect(try await agent.status().landlockABI == Self.landlock.abi)
            let shown = try await board.cleat("status", "--output", "json")
            #expect(try JSONReader.read(shown.output)["landlock_abi"] == .integer(Int64(Self.landlock.abi)), "\(shown)")
            #expect(try await board.cleat("hook", "list").output.contains(inside))
            // The service itself is bound to nothing: it still writes its store and starts what it likes.
            try await agent.set(["system/hostname": "pump-7"])
            #expect(try await agent.test("free").output == "in\nout\n")
        }
    }

    @Test(
        "If the kernel has no Landlock they are refused unless the file permits best-effort, and status reports it",
        .enabled(if: TestMachine.has("python3"), "needs python3, to take a system call away"))
    func unsupported() async throws {
        try await Board.with { board in
            try makePlaces(on: board)
            let inside = board.directory.appending("in")
            try write(hook: "strict", on: board, #"writePaths: ["\#(inside)"]"#)
            try write(hook: "hoping", on: board, #"writePaths: ["\#(inside)"], sandbox: "best-effort""#)
            let agent = try await board.start(Self.withoutLandlock)
            let list = try await agent.call(HooksInterface.List.self, .init())
            #expect(list.hooks.map(\.name) == ["hoping"])
            #expect(
                list.hooks.first?.sandbox == HookSandboxInfo(writePaths: [inside], required: false, enforced: false))
            let problem = try #require(list.problems.first)
            #expect(problem.file == board.hooks + "/strict.json5")
            #expect(problem.message.contains("Landlock") && problem.message.contains("best-effort"), "\(problem)")
            #expect(try await agent.test("hoping").output == "in\nout\n")
            #expect(try await agent.status().landlockABI == 0)
            #expect(try await board.cleat("status").output.contains("the kernel has no Landlock"))
            #expect(try await board.cleat("hook", "list").output.contains("(not enforced)"))
            #expect(try await agent.stop().outputText.contains("strict.json5:1:"))
        }
    }
}
