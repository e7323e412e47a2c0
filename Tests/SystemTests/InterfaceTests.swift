import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// The real service on a system where nothing else has charge of interfaces, in namespaces: what it sets by rtnetlink, as
/// ip(8) sees it.
@Suite(
    "Interfaces by rtnetlink, end to end", .tags(.board), .serialized, .enabled(if: Machine.hasVeth, Machine.vethReason)
)
struct InterfaceTests {
    /// Isolates the machine, and makes a link with an address and a route that were set by hand.
    static let preparation =
        UnmanagedTests.preparation + """

            mount -t tmpfs none /run
            ip link add cleat0 type veth peer name cleat1
            ip link set cleat1 up
            ip link set cleat0 up
            ip address add 203.0.113.5/24 dev cleat0
            ip route add 10.9.0.0/16 via 203.0.113.9
            """

    /// All that can be seen of a link, without what changes by itself.
    static func look(_ name: String) -> String {
        """
        ip -o link show dev \(name) | grep -o 'mtu [0-9]*'
        ip -o link show dev \(name) | grep -o '[<,]UP[,>]' || true
        ip -o address show dev \(name) scope global | grep -o 'inet.*' || true
        ip route show dev \(name) | sort
        ip -6 route show dev \(name) | grep -v 'fe80\\|ff00' | grep -o '^.*metric [0-9]*' | sort
        """
    }

    static func options(_ space: PrivateNamespace) -> RunningAgent.Options {
        var options = space.options
        options.isRooted = false
        return options
    }

    static let routes = #"""
        network/interfaces/cleat0/routes=[{"destination":"10.8.0.0/16","gateway":"192.0.2.9","metric":7},
        {"destination":"2001:db8:5::/48"}]
        """#

    @Test("Set values are in the kernel; a trial restores the old ones, also after SIGKILL; unset the former state")
    func trial() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            func look() async throws -> String { try await space.script(Self.look("cleat0")).output }
            let before = try await look()
            #expect(before.contains("203.0.113.5/24") && before.contains("10.9.0.0/16 via 203.0.113.9"), "\(before)")
            var agent = try await board.start(Self.options(space))
            #expect(try await look() == before)

            let path = "network/interfaces/cleat0"
            let plan = try await board.cleat("plan", "\(path)/addresses=[\"192.0.2.1/24\"]")
            #expect(plan.lines.contains("cleat0: 203.0.113.5/24 -> 192.0.2.1/24"), "\(plan)")
            let set = try await board.cleat(
                "set", "\(path)/addresses=[\"192.0.2.1/24\"]", "\(path)/mtu=1400", Self.routes)
            #expect(set.status == 0, "\(set)")
            let wanted = try await look()
            for words in [
                "mtu 1400", "inet 192.0.2.1/24", "10.8.0.0/16 via 192.0.2.9 proto static metric 7", "2001:db8:5::/48",
            ] {
                #expect(wanted.contains(words), "\(words) in \(wanted)")
            }
            #expect(!wanted.contains("203.0.113.5"))

            for isKilled in [false, true] {
                let events = try await EventCollector(agent)
                let trial = try await board.cleat(
                    "set", "\(path)/addresses=[\"192.0.2.5/24\"]", "\(path)/routes=[]", "--confirm", "5m", "--id",
                    "t\(isKilled)")
                #expect(trial.status == 0, "\(trial)")
                let onTrial = try await look()
                #expect(onTrial.contains("192.0.2.5/24") && onTrial.contains("192.0.2.1/24"), "\(onTrial)")
                #expect(!onTrial.contains("10.8.0.0/16"), "\(onTrial)")
                #expect(try await board.cleat("extend", "2s", "t\(isKilled)").status == 0)
                if isKilled {
                    try await agent.stop(.kill)
                    agent = try await board.start(Self.options(space))
                    let running = agent
                    try await board.eventually("it was undone") { try await running.status().trial == nil }
                } else {
                    try await board.eventually("it was undone") { events.told(["change-reverted tfalse"], .agent) }
                }
                events.close()
                #expect(try await look() == wanted)
            }
            // The kernel has no such state after a boot, and it is applied again.
            try await agent.stop()
            try await space.script("ip address flush dev cleat0 scope global; ip link set cleat0 mtu 1500")
            try SystemCalls.remove(board.runtime + "/applied")
            agent = try await board.start(Self.options(space))
            let again = try await look()
            let others = "10.9.0.0/16 via 203.0.113.9 \n"
            #expect(wanted.contains(others), "a route of somebody's outlives the address that it goes by: \(wanted)")
            #expect(again == wanted.split(separator: others).joined(), "somebody's are not Cleat's to make anew")

            let unset = try await board.cleat("unset", "\(path)/addresses", "\(path)/mtu", "\(path)/routes")
            #expect(unset.status == 0, "\(unset)")
            #expect(try await look() == before)
        }
    }

    @Test(
        "Outside changes are reported by name, reapplied, adopted if a setting can express them, else refused with the reason"
    )
    func drift() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            func look() async throws -> String { try await space.script(Self.look("cleat0")).output }
            let agent = try await board.start(Self.options(space))
            func drift() async throws -> [DriftInfo] {
                try await agent.call(SystemInterface.Drift.self, .init()).drift
            }
            let path = "network/interfaces/cleat0"
            let set = try await board.cleat(
                "set", "\(path)/addresses=[\"192.0.2.1/24\"]", "\(path)/mtu=1400", Self.routes)
            #expect(set.status == 0, "\(set)")
            #expect(try await drift().isEmpty)
            let wanted = try await look()
            try await space.script(
                "ip link set cleat0 mtu 1300; ip route del 10.8.0.0/16; ip address add 192.0.2.77/24 dev cleat0")
            let shown = try await board.cleat("drift")
            #expect(
                shown.status == 1
                    && shown.output.hasPrefix(
                        "interface:cleat0: the interface cleat0 has the MTU 1300 instead of 1400, also has the address "
                            + "192.0.2.77/24, lacks the route 10.8.0.0/16 via 192.0.2.9 metric 7\n"),
                "\(shown)")
            let repaired = try await board.cleat("reapply", "interface:cleat0")
            #expect(repaired.status == 0, "\(repaired)")
            #expect(try await look() == wanted)
            #expect(try await drift().isEmpty)

            try await space.script("ip link set cleat0 mtu 1350")
            let one = try #require(try await drift().first)
            #expect(one.setting == "\(path)/mtu" && one.value == 1350, "\(one)")
            let adopted = try await board.cleat("adopt", "interface:cleat0")
            #expect(adopted.status == 0 && adopted.output.contains("1350"), "\(adopted)")
            #expect(try await agent.get("\(path)/mtu") == 1350)
            #expect(try await drift().isEmpty)
            try await space.script("ip address add 192.0.2.78/24 dev cleat0 valid_lft 900 preferred_lft 900")
            let limited = try #require(try await drift().first)
            #expect(limited.value == nil, "\(limited)")
            let refused = try await board.cleat("adopt", "--all")
            #expect(
                refused.status == 65 && refused.errorText.contains("cleat0"),
                "\(refused)")
            let kept = try await board.cleat("adopt", "--as-is", "interface:cleat0")
            #expect(kept.status == 65, "\(kept)")
            #expect(try await look().contains("192.0.2.78"))
        }
    }

    @Test("An interface that appears later is configured, each time, under its new name too, and not too often")
    func arrivals() async throws {
        try await Board.with { board in
            let space = try await board.makeNamespace(Self.preparation)
            var agent = try await board.start(Self.options(space))
            let set = try await board.change("set", #"network/interfaces/late0/addresses=["198.51.100.1/24"]"#)
            let late = set.results.filter { $0.message.contains("late0") }
            #expect(late.count == 1 && late.allSatisfy { $0.state == .notApplied }, "\(set)")
            let look = "ip -o -4 address show dev late0 || true"
            let (make, remove) = ("ip link add late0 type veth peer name late1", "ip link del late0")
            let events = try await EventCollector(agent)
            func configured(_ times: Int) async throws {
                try await board.eventually("it was configured", showing: "\(events.events)") {
                    events.words(.agent).filter { $0 == "interface-configured late0" }.count >= times
                }
                #expect(try await space.script(look).output.contains("198.51.100.1/24"))
            }
            try await space.script(make)
            try await configured(1)
            try await space.script(
                "\(remove); ip link add other0 type veth peer name late1; ip link set other0 name late0")
            try await configured(2)
            #expect(try await agent.call(SystemInterface.Drift.self, .init()).drift.isEmpty)

            // A change on trial must not be changed; an interface that appears meanwhile waits for its end.
            try await space.script(remove)
            let trial = try await board.cleat(
                "set", #"network/interfaces/late0/addresses=["198.51.100.2/24"]"#, "--confirm", "5m", "--id", "t1")
            #expect(trial.status == 0, "\(trial)")
            try await space.script(make)
            #expect(try await board.cleat("abort", "t1").status == 0)
            try await configured(3)
            let undone = try await space.script(look).output
            #expect(!undone.contains("198.51.100.2/"), "\(undone)")

            events.close()
            try await agent.stop()
            try await space.script("\(remove); \(make)")
            agent = try await board.start(Self.options(space))
            let running = agent
            try await board.eventually("what came while the service was down was configured") {
                guard try await space.script(look).output.contains("198.51.100.1/24") else { return false }
                return try await running.call(SystemInterface.Drift.self, .init()).drift.isEmpty
            }

            let flapping = try await EventCollector(agent)
            let began = BootTime.now()
            let rounds = TestMachine.rounds(30, briefly: 15)
            try await space.script("for n in $(seq \(rounds)); do \(remove); \(make); done")
            try await board.eventually("the last one was configured", showing: "\(flapping.events)") {
                try await space.script(look).output.contains("198.51.100.1/24")
            }
            let count = flapping.words(.agent).filter { $0 == "interface-configured late0" }.count
            // Five in a row, then one every two seconds; a slow board takes long for each round.
            let most = 6 + Int(BootTime.now().duration(since: began).milliseconds / 2_000)
            #expect(count <= most, "\(count) of \(rounds), and not \(most)")
            flapping.close()
            let unset = try await board.cleat("unset", "network/interfaces/late0/addresses")
            #expect(unset.status == 0, "\(unset)")
            #expect(try await space.script(look).output == "")
        }
    }
}
