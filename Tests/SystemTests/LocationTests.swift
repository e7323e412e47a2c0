import Cleat
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

// The time in which a test waits for a place among the boards counts, too.
@Suite(
    "The location of the board", .timeLimit(.minutes(10 * TestMachine.slowness)),
    .enabled(if: Machine.can("python3 --version", "python3 is needed")))
struct LocationTests {
    private static let gpsdReason: Comment = "needs gpsd"
    private static let hasGPSD = Machine.can("command -v gpsd || test -x /usr/sbin/gpsd", gpsdReason)

    /// Runs a body next to a receiver on a terminal, and the program that publishes its position.
    ///
    /// The prelude has shell commands that run before the program; both can use `$D/receiver/tty`.
    private func withReceiver(
        _ prelude: String = "", options: String,
        _ body: @escaping @Sendable (Board, RunningAgent, Cleat) async throws -> Void
    ) async throws {
        try await Board.with { board in
            let agent = try await board.start()
            try board.directory.makeDirectory("receiver")
            let script = """
                python3 "$NMEA" "$D/receiver" & receiver=$!
                while [ ! -e "$D/receiver/tty" ]; do sleep 0.1; done
                \(prelude)
                trap 'kill $receiver $program $daemon; exit' TERM
                "$LOCATION" --socket "$D/run/socket" --decimals 5 \(options) & program=$!
                echo $program >"$D/receiver/pid"
                wait $program; wait $receiver
                """
            let programs = board.loop.task {
                try await board.script(
                    script,
                    environment: [
                        "NMEA": TestPlaces.package.appending("Tests/SystemTests/nmea.py").string,
                        "LOCATION": TestPlaces.program("cleat-location").string,
                    ])
            }
            do {
                let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
                try await body(board, agent, cleat)
            } catch {
                programs.cancel()
                throw Failure("\(error) \((try? await programs.value)?.errorText ?? "")")
            }
            programs.cancel()
            _ = try? await programs.value
        }
    }

    private func move(_ board: Board, _ position: String) throws {
        try board.directory.write(position + "\n", to: "receiver/position")
    }

    @Test(
        "A receiver on a serial device: position, movement, geofences, silence, and a restart of the service",
        .tags(.fault))
    func serial() async throws {
        try await withReceiver(options: #"--serial "$D/receiver/tty" --stale 2 --fence depot=52.53,13.405,200"#) {
            board, agent, cleat in
            var states = cleat.location.makeAsyncIterator()
            #expect(try await states.next()?.fix == BoardLocation.Fix.none)
            let none = try await board.cleat("location")
            #expect(none.status == 0)
            var crossings = try await cleat.events(from: .app, subject: "location/fence/*").makeAsyncIterator()

            try move(board, "52.52 13.405")
            let found = try #require(try await states.next(whose: { $0.fix == .threeDimensional }))
            #expect(found.latitude == 52.52 && found.longitude == 13.405 && found.altitude == 34 && found.error == 11)
            #expect(found.time != nil && found.fences.isEmpty && found.emitter != nil)
            let shown = try await board.cleat("location")
            #expect(shown.lines.contains("position   52.52, 13.405"), "\(shown.output)")
            let object = try JSONReader.read(await board.cleat("location", "--output", "json").output).objectValue
            #expect(object?["fix"] == "3d" && object?["latitude"] == .number(52.52), "\(String(describing: object))")

            try move(board, "52.53 13.405")
            let entered = try #require(try await crossings.next())
            #expect((entered.action, entered.subject) == ("entered", "location/fence/depot"))
            #expect(try await states.next(whose: { $0.fences == ["depot"] })?.latitude == 52.53)
            try move(board, "-33.8568 151.2153")
            #expect(try await crossings.next()?.action == "left")
            #expect(try await states.next(whose: { $0.fences.isEmpty && $0.latitude == -33.8568 }) != nil)

            try await agent.stop(.kill)
            _ = try await board.start()
            // The location is there again before the next position; whether the sequence has seen it missing is open.
            try await board.eventually("the location was published again") {
                try await board.cleat("location").output.contains("151.215")
            }
            try move(board, "48.8566 2.3522")
            #expect(try await states.next(whose: { $0.longitude == 2.3522 })?.fix == .threeDimensional)

            try move(board, "silence")
            let stale = try #require(try await states.next(whose: { $0.fix == .stale }))
            #expect(stale.latitude == 48.8566)
        }
    }

    @Test(
        "A real gpsd: position and movement, and a daemon that is killed", .tags(.fault),
        .enabled(if: hasGPSD, gpsdReason))
    func gpsd() async throws {
        let port = UInt16.random(in: 20_000..<30_000)
        let daemon = """
            start() { PATH=$PATH:/usr/sbin gpsd -N -n -S \(port) "$(readlink "$D/receiver/tty")" & daemon=$!; echo $daemon >"$D/receiver/daemon"; }
            start
            (while sleep 0.2; do kill -0 $(cat "$D/receiver/daemon") || start; done) 2>/dev/null & keeper=$!
            """
        try await withReceiver(daemon, options: "--gpsd 127.0.0.1:\(port) --stale 3") { board, _, cleat in
            var states = cleat.location.makeAsyncIterator()
            try move(board, "52.52 13.405")
            let found = try #require(try await states.next(whose: { $0.fix == .threeDimensional }))
            #expect(abs((found.latitude ?? 0) - 52.52) < 0.000_1 && abs((found.longitude ?? 0) - 13.405) < 0.000_1)
            let pid = try board.directory.read("receiver/daemon").filter(\.isNumber)
            _ = try await board.script("kill -9 \(pid)")
            try move(board, "48.8566 2.3522")
            let moved = try await states.next(whose: { abs(($0.latitude ?? 0) - 48.8566) < 0.000_1 })
            #expect(moved?.fix == .threeDimensional)
        }
    }

    @Test("Options that are not valid are refused with their remedy")
    func refused() async throws {
        try await Board.with { board in
            for (options, remedy) in [
                ("--gpsd localhost:2947", "numeric address"), ("--decimals 8", "0 to 7"), ("--moved=-1", "0 or more"),
                ("--stale 0", "1 to 3600"), ("--fence home", "NAME=LATITUDE,LONGITUDE,METRES"),
                ("--fence a=1,2,3 --fence a=1,2,3", "a name of its own"),
                ("--serial /dev/null --speed 12", "--speed must be"), ("--serial ''", "whole path"),
            ] {
                let done = try await board.script(
                    "exec \(TestPlaces.program("cleat-location").string) \(options)")
                #expect(done.status == 64 && done.errorText.contains(remedy), "\(options): \(done)")
            }
        }
    }
}
