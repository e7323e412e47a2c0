import CleatIO
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Another process exchanges directories and files for links that lead out, while operations run.
@Suite(.tags(.board)) struct RaceTests {
    /// The number of operations: `CLEAT_RACE_OPERATIONS`, or as many as a daily test can have.
    static let operations =
        TestMachine.number("CLEAT_RACE_OPERATIONS")
        ?? TestMachine.rounds(20_000, briefly: 500)

    /// The outcomes of the operations.
    struct Outcome: Sendable {
        var done = 0
        var codes: [SandboxError.Code: Int] = [:]
        var wrong: [String] = []
        var recorded = ""

        var refused: Int { codes.values.reduce(0, +) }
    }

    @Test(arguments: ResolverKind.available)
    func nothingOutsideIsEverTouched(kind: ResolverKind) async throws {
        let area = try Self.prepare(kind)
        let beside = area.outside.appending("beside")
        let before = try SandboxListing.fingerprint(beside)
        try await withLoop { loop in
            var command = ChildCommand(
                TestPlaces.program("sandbox-probe").string,
                ["swap", area.directory.string, "d", "away", "file", "secret"])
            command.timeout = .seconds(1800).onThisMachine
            let swapper = loop.task { [command] in try await loop.run(command) }
            // There is no race before the other process runs.
            let began = try await loop.eventually {
                try SandboxListing.kind(area.place("d")) == .symbolicLink
            }
            try #require(began)
            let worker = Worker(name: "race")
            defer { worker.shutdown() }
            let outcome = try await worker.run { try Self.race(area, Self.operations) }
            try area.outside.write("", to: "area/stop")
            let swaps = try await swapper.value
            #expect(swaps.isSuccess, "\(swaps.outputText)")
            #expect(outcome.wrong.isEmpty, "\(outcome.wrong.prefix(5))")
            // Both states were met, or there was no race.
            #expect(outcome.codes[.symbolicLink, default: 0] > Self.operations / 100)
            #expect(outcome.done > Self.operations / 100)
            print(
                "race, \(kind): \(Self.operations) operations, \(outcome.done) done, refused "
                    + outcome.codes.map { "\($0): \($1)" }.sorted().joined(separator: ", ")
                    + "; exchanged \(swaps.outputText)")
        }
        #expect(try SandboxListing.fingerprint(beside) == before)
    }

    /// `d` is a directory and `away` a link out; `file` is a file and `secret` a link to one outside.
    private static func prepare(_ kind: ResolverKind) throws -> TestArea {
        let calls = FaultyFileCalls()
        // Power cuts are not what this is about.
        calls.flushes = false
        let area = try TestArea(kind, calls: calls)
        try SandboxListing.makeDirectory(area.outside.appending("beside"))
        try SandboxListing.makeDirectory(area.outside.appending("beside/sub"))
        for name in ["beside/inside", "beside/taken", "beside/sub/inside", "beside/file"] {
            try area.outside.write("SECRET", to: name)
        }
        let paths = TextPaths(area.files)
        try paths.makeDirectory("d/sub", withParents: true)
        try paths.write("inside", to: "d/inside")
        try paths.write("inside", to: "d/sub/inside")
        try paths.write("inside", to: "file")
        try SandboxListing.makeLink(area.place("away"), to: "../beside")
        try SandboxListing.makeLink(area.place("secret"), to: "../beside/file")
        area.root.account.recordForeignChange()
        return area
    }

    private static func race(_ area: TestArea, _ count: Int) throws -> Outcome {
        let paths = TextPaths(area.files)
        var outcome = Outcome()
        var random = SeededGenerator(seed: 11)
        func read(_ path: String) throws(SandboxError) {
            let text = try paths.text(of: path)
            if text != "inside", !text.hasPrefix("own") { outcome.wrong.append("\(path) was read as \(text)") }
        }
        func look(_ path: String) throws(SandboxError) {
            if try paths.attributes(of: path).size == 6, path == "d/taken" { outcome.wrong.append("\(path) was seen") }
        }
        // Operations that change names cost a hundred times what a read does; a tenth of all is enough of them.
        // Where one core is shared, it may take more of them until both states were met.
        var number = 0
        while number < count
            || (number < 50 * count && min(outcome.done, outcome.codes[.symbolicLink, default: 0]) <= count / 100)
        {
            number += 1
            do throws(SandboxError) {
                switch Int.random(in: 0..<100, using: &random) {
                case 0..<30: try read("d/inside")
                case 30..<50: try read("d/sub/inside")
                case 50..<65: try read("file")
                case 65..<72: try look("d/taken")
                case 72..<78:
                    for entry in try paths.list("d", recursive: true).entries where entry.path.text == "d/taken" {
                        outcome.wrong.append("\(entry.path) was listed")
                    }
                case 78..<82: try paths.write("own", to: "d/own")
                case 82..<85: try paths.append(Array("own".utf8), to: "d/own")
                case 85..<88: try paths.delete("d/taken")
                case 88..<90: try paths.delete("d/own")
                case 90..<92: try paths.rename("d/own", to: "d/sub/own", replacing: true)
                case 92..<94: try paths.makeDirectory("d/sub/made")
                case 94..<96: try paths.removeDirectory("d/sub/made", recursive: true)
                case 96..<97: try paths.copy("d/inside", as: "d/own", replacing: true)
                case 97..<98: try paths.rename("d/sub", to: "d/bus")
                case 98..<99: try paths.rename("d/bus", to: "d/sub")
                default: try paths.removeDirectory("d/nothing", recursive: true)
                }
                outcome.done += 1
            } catch {
                outcome.codes[error.code, default: 0] += 1
            }
        }
        return outcome
    }

    @Test(arguments: ResolverKind.available)
    func aDirectoryThatIsRenamedAwayInTheMiddleTakesItsFilesAlong(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        let paths = TextPaths(area.files)
        try paths.makeDirectory("d")
        let writer = try paths.writer("d/file")
        try writer.write([1])
        try SandboxListing.rename(area.place("d"), to: area.place("elsewhere"))
        try writer.write([2])
        try writer.commit()
        #expect(try paths.read("elsewhere/file") == [1, 2])
        #expect(try area.names("elsewhere") == ["file"])
        #expect(try area.root.account.usage(recounting: true) == AreaUsage(bytes: 2, files: 2))
        let reader = try paths.reader("elsewhere/file")
        try paths.delete("elsewhere/file")
        #expect(try reader.read(at: 0, upTo: 10) == [1, 2])
        let orphan = try paths.writer("elsewhere/file")
        try paths.removeDirectory("elsewhere", recursive: true)
        try orphan.write([3])
        #expect(try code { try orphan.commit() } == .notFound)
        #expect(try area.names().isEmpty)
        #expect(try area.root.account.usage(recounting: true) == AreaUsage())
    }

    @Test(arguments: ResolverKind.available)
    func ofTwoWritersOfOneFileTheLastOneStays(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        let path = try SandboxPath("file")
        let (one, other) = (try area.files.writer(path), try area.files.writer(path))
        try one.write([1, 1])
        try other.write([2])
        try other.commit()
        #expect(try area.files.read(path) == [2])
        try one.commit()
        #expect(try area.files.read(path) == [1, 1])
        #expect(try area.names() == ["file"])
        #expect(try area.root.account.usage() == AreaUsage(bytes: 2, files: 1))
        #expect(area.root.account.reserved == AreaUsage())
    }

    /// Threads that write, add and delete the same files; each file is whole at any time, and the account exact.
    @Test func manyThreadsUseOneArea() async throws {
        let area = try TestArea()
        let rounds = TestMachine.rounds(100, briefly: 10)
        let executors = (0..<4).map { ThreadExecutor(name: "files-\($0)") }
        defer { for executor in executors { executor.shutdown() } }
        let tasks = executors.enumerated().map { number, executor in
            Task(executorPreference: executor) {
                let paths = TextPaths(area.files)
                for round in 0..<rounds {
                    let path = "file-\(round % 3)"
                    do throws(SandboxError) {
                        switch (number + round) % 4 {
                        case 0: try paths.write([UInt8](repeating: UInt8(number), count: 100), to: path)
                        case 1: try paths.delete(path)
                        case 2: try paths.rename(path, to: "file-\((round + 1) % 3)", replacing: true)
                        default:
                            let content = try paths.read(path)
                            if content.count != 100 || Set(content).count != 1 { return "\(path) was torn" }
                        }
                    } catch {
                        guard [.notFound, .exists].contains(error.code) else { return "\(error)" }
                    }
                }
                return ""
            }
        }
        for task in tasks { #expect(await task.value.isEmpty) }
        let usage = try area.root.account.usage()
        #expect(try usage == Tree(area.place(""), reserved: true).usage)
        #expect(area.root.account.reserved == AreaUsage())
    }
}
