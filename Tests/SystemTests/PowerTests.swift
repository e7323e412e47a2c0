import Cleat
import CleatIO
import CleatJSON
import CleatTestSupport
import SystemPackage
import Testing

@Suite(
    "Power supplies of the board", .enabled(if: Machine.hasNamespaces, Machine.namespacesReason))
struct PowerTests {
    /// Makes supplies in place of the kernel's, and starts the service among them.
    private func withSupplies(
        _ body: @escaping @Sendable (Board, RunningAgent, RunningAgent.Options) async throws -> Void
    ) async throws {
        try await Board.with { board in
            for name in ["power", "power/AC", "power/BAT0", "power/mouse"] { try board.directory.makeDirectory(name) }
            try write(board, "AC", "TYPE=Mains", "ONLINE=1")
            try write(board, "BAT0", "TYPE=Battery", "STATUS=Charging", "CAPACITY=57", "VOLTAGE_NOW=3850000")
            try write(board, "mouse", "TYPE=Battery", "SCOPE=Device", "CAPACITY_LEVEL=Low")
            let space = try await board.makeNamespace(
                // Before kernel 6.12 the directory is missing without a driver.
                "[ -d /sys/class/power_supply ] || { mount -t tmpfs none /sys/class; mkdir /sys/class/power_supply; }\n"
                    + "mount --bind $D/power /sys/class/power_supply\n")
            try await body(board, try await board.start(space.options), space.options)
        }
    }

    private func write(_ board: Board, _ name: String, _ values: String...) throws {
        let text = values.map { "POWER_SUPPLY_\($0)\n" }.joined()
        // Whole at every instant, as the kernel's: a reading may run.
        try board.directory.replace("power/\(name)/uevent", with: text)
    }

    @Test("They are listed as they are now, those of other devices apart, and their changes are events")
    func listed() async throws {
        try await withSupplies { board, agent, _ in
            let listed = try await board.cleat("power")
            #expect(listed.status == 0 && listed.lines.count == 3, "\(listed.output) \(listed.errorText)")
            #expect(listed.lines[1].split(separator: " ").prefix(3) == ["AC", "mains", "online"])
            #expect(
                listed.lines[2].hasPrefix("BAT0") && listed.lines[2].contains("57 %  ")
                    && listed.lines[2].contains("3.85 V"))
            let all = try JSONReader.read(await board.cleat("power", "--all", "--output", "json").output).objectValue
            let supplies = try #require(all?["supplies"]?.arrayValue?.map(\.objectValue))
            #expect(supplies.map { $0?["name"] } == ["AC", "BAT0", "mouse"])
            #expect(
                supplies[2]?["basis"] == "level" && supplies[2]?["capacity"] == 10 && supplies[2]?["scope"] == "device")

            let present = try await board.cleat(
                "events", "--source", "power", "--instance", "none", "--after", "0", "--count", "3", "--output",
                "json-lines")
            #expect(
                present.lines.count == 3 && present.lines.allSatisfy { $0.contains(#""action":"present""#) },
                "\(present.output)")

            let cleat = try await Cleat.connect(to: board.socket, timeout: Board.patience)
            var states = cleat.power.makeAsyncIterator()
            #expect(try await states.next()?.map(\.capacity) == [nil, 57, 10])
            var events = try await cleat.events(from: .power, action: "change").makeAsyncIterator()
            try write(board, "BAT0", "TYPE=Battery", "STATUS=Discharging", "CAPACITY=56", "VOLTAGE_NOW=3840000")
            try write(board, "AC", "TYPE=Mains", "ONLINE=0")
            #expect(try await board.cleat("power").output.contains("56 %"))
            // A reading between the two writes makes the battery's the first one.
            let both = [try await events.next(), try await events.next()].compactMap(\.self)
            let changes = Dictionary(uniqueKeysWithValues: both.map { ($0.subject, $0.properties) })
            #expect(changes["AC"]?["ONLINE"] == "0" && changes["AC"]?["CHANGED"] == "online")
            #expect(changes["BAT0"]?["CHANGED"] == "status capacity")
            let state = try #require(try await states.next(whose: { $0.contains { $0.capacity == 56 } }))
            #expect(state.map(\.isOnline) == [false, nil, nil])
            #expect(state.map(\.status) == [nil, .discharging, nil] && state.map(\.isOfBoard) == [true, true, false])
            #expect(try await agent.counter("power.supplies") == 3)
        }
    }

    @Test("A hook acts on a battery, also for what changed while the service was down")
    func hook() async throws {
        try await withSupplies { board, first, options in
            let file = board.directory.appending("low")
            try board.write(
                hook: "low",
                """
                { match: { source: "power", subject: "BAT*", properties: { STATUS: "discharging" } },
                  run: ["/bin/sh", "-c", "echo $CLEAT_ACTION $CLEAT_SUBJECT $CAPACITY $LEVEL >>\(file)"] }
                """)
            // A state is saved once everything has been read.
            _ = try await board.cleat("events", "--instance", "none", "--after", "0", "--count", "1")
            try await first.stop(.terminate)
            try write(board, "BAT0", "TYPE=Battery", "STATUS=Discharging", "CAPACITY=4", "CAPACITY_LEVEL=Critical")
            _ = try await board.start(options)
            try await board.eventually("the hook has run") {
                (try? board.directory.read("low")) == "change BAT0 4 critical\n"
            }
        }
    }
}
