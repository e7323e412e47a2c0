import CleatIO
import CleatTestSupport
import Testing

/// Tests of the processes that a killed service leaves, with the real programs.
@Suite("Programs of a service that was killed, end to end", .tags(.board), .serialized)
struct LeftBehindTests {
    /// Says which process it is, and stays that for longer than any test.
    private static func program(_ name: String) -> String {
        #"echo $$ >"${0%/*}/\#(name).new" && mv "${0%/*}/\#(name).new" "${0%/*}/\#(name).pid" && exec sleep 3600"#
    }

    private static let schema = """
        { "type": "object", "properties": { "app": { "type": "object", "properties": {
            "mode": { "type": "string" } } } },
          "x-cleat-apply": [ { "command": ["PROGRAM"], "when": ["app/mode"], "timeout": "10m" } ] }
        """

    /// Waits until a program has said which process it is, and for the end of that process.
    private func process(_ name: String, _ board: Board) async throws -> String {
        try await board.eventually("the program \(name) ran") {
            (try? board.directory.read("\(name).pid")) != nil
        }
        return try board.directory.read("\(name).pid").filter(\.isNumber)
    }

    private func end(_ process: String, _ board: Board) async throws {
        try #require(!process.isEmpty)
        try await board.eventually("process \(process) ended") {
            // A zombie has ended.
            try await board.script(
                #"[ ! -e /proc/"$1" ] || grep -q '^State:.*[ZX]' /proc/"$1"/status || [ ! -e /proc/"$1" ]"#, [process]
            ).status == 0
        }
    }

    @Test("A hook ends with the service, since nothing else would enforce its time limit")
    func hooks() async throws {
        try await Board.with { board in
            let program = try board.write(program: "hook", Self.program("hook"))
            try board.write(hook: "hook", #"{ match: { source: "agent" }, run: ["\#(program)"], timeout: "10m" }"#)
            let agent = try await board.start()
            try await withThrowingTaskGroup(of: Void.self) { group in
                // It gets no result of the hook, since the service is killed.
                group.addTask { _ = try? await agent.test("hook") }
                let process = try await process("hook", board)
                await agent.kill()
                try await end(process, board)
                group.cancelAll()
            }
        }
    }

    @Test(
        "The command of a rule ends with the service, and so reverts nothing that the next start does",
        .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
    func commands() async throws {
        try await Board.with { board in
            try board.makeSourceDirectories()
            let program = try board.write(program: "app", Self.program("app"))
            try board.write(admin: "schema.d/10-app.json", Self.schema.replacing("PROGRAM", with: program))
            let space = try await board.makeNamespace(UnmanagedTests.preparation)
            var options = space.options
            options.isRooted = false
            let agent = try await board.start(options)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // It gets no result of its change, since the service is killed.
                group.addTask { _ = try? await board.cleat("set", "app/mode=trial", "--confirm", "10m", "--id", "t1") }
                let process = try await process("app", board)
                await agent.kill()
                try await end(process, board)
                group.cancelAll()
            }
        }
    }
}
