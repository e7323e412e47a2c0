import CleatAPI
import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of a system that cannot be examined when the service starts, and of removed devices.
@Suite struct UnknownAdapterTests {
    @Test(
        "an unknown state is reported for its settings; the others are applied",
        arguments: [true, false])
    func facts(isOnce: Bool) throws {
        let board = try TestBoard(isRunning: true) { root in
            try makeDirectories(root + "/etc/chrony")
            try makeDirectories(root + "/usr/sbin")
            try makeFile(root + "/usr/sbin/chronyd", "program")
            try makeFile(root + "/etc/chrony/chrony.conf", "sourcedir /etc/chrony/sources.d\n")
            try makeDirectories(root + "/run/systemd/netif/state")
        }
        let settings = try board.settings([
            ("system/timezone", "Europe/Berlin"), ("time/ntp/servers", ["192.0.2.1"]),
            ("network/interfaces/eth0/mtu", 1400), ("leds/a/trigger", "timer"),
        ])
        let known = SystemFacts(of: board.system)
        #expect(known.failures.isEmpty && known.networkService == .networkd && known.timeService != nil)
        board.calls.fail(at: nil)
        _ = SystemFacts(of: board.system)
        let count = board.calls.count
        var seen: Set<String> = []
        for number in 0..<count {
            if isOnce { board.calls.fail(at: number, .ioError) } else { board.calls.fail(from: number, .ioError) }
            let facts = SystemFacts(of: board.system)
            #expect(board.calls.failed)
            board.calls.fail(at: nil)
            #expect(isOnce ? facts.failures.count == 1 : !facts.failures.isEmpty, "call \(number)")
            seen.formUnion(facts.failures.keys)
            let set = AdapterSet.builtIn(facts)
            let places = ["time-zone": "system/timezone", "time-servers": "time/ntp", "network": "network/interfaces"]
            let refused = Set(set.adapters.flatMap { $0.desired(settings).problems }.map(\.path.text))
            for (name, place) in places {
                #expect(refused.contains { $0.hasPrefix(place) } == (facts.failures[name] != nil), "\(name), \(number)")
            }
            let wanted = set.adapters.flatMap { $0.desired(settings).wanted }
            #expect(wanted.contains { $0.path.text == "leds/a/trigger" })
            for error in facts.failures.values { #expect(error.stage == .inspect && error.errno == .ioError) }
            let problem = try #require(set.adapters.lazy.compactMap { $0.desired(settings).problems.first }.first)
            #expect(problem.code == .system, "\(problem)")
            #expect(facts.failures.values.contains { problem.reason.contains($0.reason) }, "\(problem)")
        }
        #expect(seen == ["time-zone", "time-servers", "network"])
    }

    @Test(
        "the settings of a removed device block nothing, can be unset, and not be set; a revert skips it"
    )
    func gone() throws {
        let bench = try FaultBench(.leds)
        let (board, set, system) = (bench.board, bench.set, bench.system)
        #expect(bench.apply().flatMap(\.errors).isEmpty)
        let green: [(String, JSONValue)] = [("leds/green/brightness", 3)]
        let blue: [(String, JSONValue)] = [("leds/blue/brightness", 7)]
        for name in ["blue", "red:status"] {
            let led = board.root + "/sys/class/leds/" + name
            for name in try names(in: led) { try removeName(led + "/" + name) }
            try removeName(led)
        }
        // A change on trial that touched what has gone, and something else.
        let reverted = bench.restore()
        #expect(reverted.flatMap(\.errors).isEmpty, "\(reverted)")
        let skipped = reverted.flatMap(\.skipped)
        #expect(skipped.count == 4 && Set(skipped.map(\.reason)).count == 1, "\(skipped)")
        let removed = ["/sys/class/leds/blue/", "/sys/class/leds/red:status/"]
        #expect(skipped.allSatisfy { one in removed.contains { one.resource.text.contains($0) } }, "\(skipped)")
        #expect(try board.directory.read("root/sys/class/leds/green/brightness") == "3\n")

        let both = try board.settings(green + blue)
        let brighter = try board.settings([("leds/green/brightness", 5)] + blue)
        let other = set.change(from: both, to: brighter)
        #expect(set.check(brighter, other, on: system).isEmpty)
        #expect(set.applier.apply(other, on: system, origins: bench.origins).allSatisfy { $0.isSuccess })

        let (without, left) = (try board.settings(green), try board.settings(green + blue))
        let unset = set.change(from: left, to: without)
        #expect(set.check(without, unset, on: system).isEmpty)
        let plan = set.plan(unset, from: left, to: without, on: system, origins: bench.origins)
        #expect(plan.problems.isEmpty && plan.steps.allSatisfy { $0.action == .skipped })
        let mementos = try set.applier.capture(unset, on: system)
        #expect(mementos.allSatisfy { $0.isNothing })
        let results = set.applier.apply(unset, on: system, origins: bench.origins)
        #expect(results.allSatisfy { $0.isSuccess } && results.flatMap(\.skipped).count == 2, "\(results)")
        #expect(set.applier.restore(mementos, on: system).flatMap(\.errors).isEmpty)

        let again = set.change(from: without, to: left)
        let problems = set.check(left, again, on: system)
        #expect(
            problems.count == 2
                && problems.allSatisfy { $0.code == .system && $0.reason.contains("/sys/class/leds/blue/") },
            "\(problems)")
        #expect(problems.allSatisfy { $0.path.text.hasPrefix("leds/blue") }, "\(problems)")
    }
}
