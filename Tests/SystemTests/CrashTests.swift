import CleatAPI
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of a service that dies in the middle of a change: the next one has the old state or the new one as a whole, as
/// it was reported.
@Suite("Changes that are interrupted by SIGKILL", .tags(.board), .serialized)
struct CrashTests {
    private static let program = TestPlaces.program("cleatd")

    /// Release builds have no crash points; where the tests of every day run, they must be there.
    static let canCrash =
        TestMachine.slowness == 1 || SystemCalls.holds(program, "CLEAT_CRASH_POINT")

    /// The distance of the tested places: every one if that takes seconds, and every eighth one on a slow board, whose
    /// power `cross/power` cuts at each of them.
    private static let step = TestMachine.rounds(1, briefly: 8)

    /// The state that there is, and the number of the last change.
    struct Progress {
        var state: Int64 = 1
        var change: Int64 = 1
    }

    private static func options(_ point: String) -> RunningAgent.Options {
        .init(environment: ["CLEAT_CRASH_POINT": point, "CLEATD": program.string])
    }

    /// Kills the service at the places of a change, one after the other, until a change comes to its end.
    ///
    /// The places before `after` are skipped; the names of the others are returned.
    private static func crashes(
        _ bench: CrashBench, _ course: CrashBench.Course, after last: String? = nil, _ progress: inout Progress
    ) async throws -> [String] {
        let skipped = try last.map { try #require(Self.places.firstIndex(of: $0)) + 1 } ?? 0
        var places: [String] = []
        var left: (change: Int64, told: CrashBench.Told)?
        while true {
            // The run of the service that dies in the middle of a change finds the interrupted change before.
            let agent = try await bench.board.start(options("arm begins+\(skipped + step * places.count)"))
            let note: Comment = "\(course), \(places.last ?? "before the first place")"
            if let left {
                progress.state = try await bench.check(
                    agent, before: progress.state, left.change, course, left.told, note)
            }
            #expect(try await bench.state(agent, note) == progress.state)
            progress.change += 1
            let told = await bench.run(course, progress.change, on: agent)
            if told == (course == .aborted ? .undone : .confirmed) {
                progress.state = try await bench.check(
                    agent, before: progress.state, progress.change, course, told, "\(course), whole")
                try await agent.stop()
                return places
            }
            places.append(try await place(of: agent))
            left = (progress.change, told)
        }
    }

    /// Returns the place at which a run of the service has died.
    private static func place(of agent: RunningAgent) async throws -> String {
        let end = try await agent.waitUntilEnded()
        let line = end.outputText.split(separator: "\n").last { $0.hasPrefix("crash point ") }
        #expect(end.status == .signalled(Signal.kill.rawValue), "\(end.status): \(end.outputText)")
        return String(try #require(line, "\(end.outputText)").dropFirst("crash point ".count))
    }

    /// The places of a change that is made, waits for its confirmation and is undone, in their order.
    private static let places = [
        "arm begins", "arm ends", "apply begins", "applied documents/crash/number", "applied /etc/hostname",
        "applied the line “127.0.1.1” of /etc/hosts", "applied the kernel's host name", "applied /etc/localtime",
        "applied /etc/demo.conf", "did", "apply ends", "probe begins", "probe ends", "beginWindow begins",
        "beginWindow ends", "restore begins", "reverting is stored", "restored /etc/demo.conf",
        "restored /etc/localtime", "restored the kernel's host name", "restored the line “127.0.1.1” of /etc/hosts",
        "restored /etc/hostname", "restored documents/crash/number", "did", "restore ends", "recordRevert begins",
        "recordRevert ends",
    ]

    @Test(
        "At every place of a change: confirmed, on trial, or reverted", .tags(.anyMachine),
        .enabled(if: canCrash, "a release build"))
    func everyPlace() async throws {
        try await Board.with { board in
            let bench = try CrashBench(board)
            var progress = try await Self.begin(bench)
            let undone = try await Self.crashes(bench, .aborted, &progress)
            #expect(
                undone.map { $0.utf8.starts(with: "did ".utf8) ? "did" : $0 }
                    == stride(from: 0, to: Self.places.count, by: Self.step).map { Self.places[$0] })
            // Up to there it was the same.
            let ends = stride(from: 0, to: 2, by: Self.step).map {
                ["recordConfirmation begins", "recordConfirmation ends"][$0]
            }
            let confirmed = try await Self.crashes(bench, .confirmed, after: "beginWindow ends", &progress)
            #expect(confirmed == ends)
            let plain = try await Self.crashes(bench, .plain, after: "probe ends", &progress)
            #expect(plain == ends)
        }
    }

    @Test("At every place of the revert, start after start", .enabled(if: canCrash, "a release build"))
    func everyPlaceOfTheRevert() async throws {
        try await Board.with { board in
            let bench = try CrashBench(board)
            let progress = try await Self.begin(bench)
            let first = try await board.start(Self.options("apply ends"))
            #expect(await bench.run(.plain, 2, on: first) == .nothing)
            #expect(try await Self.place(of: first) == "apply ends")
            // An interrupted write leaves such a file.
            try board.directory.write("number = 2", to: "root/etc/.cleat-write-1")
            var deaths = 0
            while deaths < 100 {
                do {
                    _ = try await board.start(Self.options("restore begins+\(deaths * Self.step)"))
                    break
                } catch let failure as Failure {
                    #expect(failure.description.contains("crash point"), "\(failure)")
                    deaths += 1
                }
            }
            // The places from the start of the revert to its record.
            #expect(deaths * Self.step >= 8, "\(deaths)")
            try await #require(board.lastAgent).stop()
            let agent = try await board.start()
            #expect(
                try await bench.check(agent, before: progress.state, 2, .plain, .nothing, "undone") == progress.state)
            #expect(await bench.run(.plain, 3, on: agent) == .confirmed)
            #expect(try await bench.state(agent, "afterwards") == 3)
        }
    }

    /// The number of kills: `CLEAT_KILLS`, 1,000 for evidence, or as many as a daily test can have.
    private static let kills = TestMachine.number("CLEAT_KILLS") ?? TestMachine.rounds(24, briefly: 4)

    @Test("At any instant of a change")
    func anyInstant() async throws {
        try await Board.with { board in
            let bench = try CrashBench(board)
            var random = SeededGenerator(seed: 61)
            var progress = try await Self.begin(bench)
            var left: (change: Int64, course: CrashBench.Course, told: CrashBench.Told)?
            var outcomes: [CrashBench.Told: Int] = [:]
            // What a change of a course takes, in microseconds: what the last one took that came to its end, and a little
            // more after each that did not. The first is not killed.
            var lengths: [CrashBench.Course: Int64] = [:]
            for round in 0...Self.kills {
                let agent = try await board.start()
                let note: Comment = "round \(round)"
                if let left {
                    progress.state = try await bench.check(
                        agent, before: progress.state, left.change, left.course, left.told, note)
                }
                progress.change += 1
                let course = round == 0 ? .aborted : CrashBench.Course.allCases[Int.random(in: 0..<3, using: &random)]
                let begin = BootTime.now()
                let killer: Task<Void, any Error>? =
                    round == 0
                    ? nil
                    : {
                        let length = lengths[course] ?? lengths.values.max() ?? 0
                        lengths[course] = length + length / 8
                        let instant = Duration.microseconds(Int64.random(in: 0...length, using: &random))
                        return board.loop.task {
                            try await board.loop.sleep(for: instant)
                            Signal.kill.send(to: try agent.pid)
                        }
                    }()
                let told = await bench.run(course, progress.change, on: agent)
                if told == (course == .aborted ? .undone : .confirmed) {
                    lengths[course] = BootTime.now().duration(since: begin).milliseconds * 1000
                }
                try await killer?.value
                if round == 0 { try await agent.stop(.kill) }
                _ = try await agent.waitUntilEnded()
                outcomes[told, default: 0] += 1
                left = (progress.change, course, told)
            }
            let hits = outcomes[.nothing, default: 0] + outcomes[.pending, default: 0]
            #expect(hits > 0, "none of \(Self.kills) kills met a change: \(outcomes)")
            print("kills at any instant: \(Self.kills), told \(outcomes.map { "\($0): \($1)" }.sorted())")
        }
    }

    /// Starts with a state that was confirmed and changed nothing since.
    private static func begin(_ bench: CrashBench) async throws -> Progress {
        let first = try await bench.board.start()
        #expect(await bench.run(.plain, 1, on: first) == .confirmed)
        try await first.stop()
        return Progress()
    }
}
