import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Every call of check, capture, apply and restore fails once, in each world; then all that write do.
@Suite struct FailureTests {
    /// Every call; where each takes its time, one of eight.
    static let step = TestMachine.rounds(1, briefly: 8)
    static let causes = [Errno.noSpace, .notPermitted, .readOnlyFileSystem, .ioError]
        .prefix(TestMachine.rounds(4, briefly: 1))

    @Test(
        "a failed capture is named, and nothing has changed",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable), arguments: FaultWorld.all, causes)
    func capture(world: FaultWorld, cause: Errno) async throws {
        try await world.run {
            let bench = try FaultBench(world)
            let count = try bench.calls { _ = try bench.set.applier.capture(bench.change, on: bench.system) }
            var failures = 0
            for number in stride(from: 0, to: count, by: Self.step) {
                bench.calls.fail(at: number, cause)
                do throws(ResourceError) {
                    // Attributes of files that may not be read are none.
                    let mementos = try bench.set.applier.capture(bench.change, on: bench.system)
                    #expect(mementos == bench.mementos, "call \(number)")
                } catch {
                    failures += 1
                    #expect(error.stage == .capture)
                    #expect(error.resource.map { bench.change.resources.contains($0) } == true)
                }
                #expect(bench.calls.failed && bench.calls.writes == 0, "call \(number)")
            }
            bench.calls.fail(at: nil)
            #expect(failures > count / Self.step / 2, "\(failures) of \(count)")
            #expect(try bench.state() == bench.before)
        }
    }

    @Test(
        "a failed step is named, no later step runs, and the revert restores everything",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable), arguments: FaultWorld.all, causes)
    func apply(world: FaultWorld, cause: Errno) async throws {
        try await world.run {
            let bench = try FaultBench(world)
            let after = try bench.after()
            let count = bench.calls { _ = bench.apply() }
            #expect(bench.restore().flatMap(\.errors).isEmpty)
            var failures = 0
            for number in stride(from: 0, to: count, by: Self.step) {
                bench.calls.fail(at: number, cause)
                let results = bench.apply()
                #expect(bench.calls.failed, "call \(number)")
                bench.calls.fail(at: nil)
                if results.contains(where: { !$0.isSuccess }) {
                    failures += 1
                    #expect(results.dropLast().allSatisfy { $0.isSuccess })
                    let last = try #require(results.last)
                    #expect(last.errors.count == 1 && last.errors.first?.resource != nil, "call \(number)")
                    let begun = bench.change.parts.prefix(results.count).map(\.adapter)
                    #expect(results.map(\.adapter) == begun)
                } else {
                    try bench.system.sweep()
                    #expect(try bench.state() == after, "call \(number)")
                }
                let reverted = bench.restore()
                #expect(reverted.flatMap(\.errors).isEmpty, "call \(number): \(reverted)")
                try bench.system.sweep()
                #expect(try bench.state() == bench.before, "call \(number)")
            }
            // Files that cannot be written together are written one by one.
            #expect(failures > count / Self.step / 4, "\(failures) of \(count)")
            #expect(try bench.countsRight())
        }
    }

    @Test(
        "a revert in which one call fails continues, reports it, and can be repeated",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable), arguments: FaultWorld.all, causes)
    func restore(world: FaultWorld, cause: Errno) async throws {
        try await world.run {
            let bench = try FaultBench(world)
            #expect(bench.apply().flatMap(\.errors).isEmpty)
            let count = bench.calls { _ = bench.restore() }
            var failures = 0
            for number in stride(from: 0, to: count, by: Self.step) {
                try #require(bench.apply().flatMap(\.errors).isEmpty)
                bench.calls.fail(at: number, cause)
                let results = bench.restore()
                #expect(bench.calls.failed, "call \(number)")
                bench.calls.fail(at: nil)
                let errors = results.flatMap(\.errors)
                #expect(errors.count <= 1)
                #expect(results.map(\.adapter) == bench.change.parts.map(\.adapter).reversed())
                let done = results.flatMap { $0.written + $0.skipped.map(\.resource) }
                #expect(done.count + errors.count == bench.mementos.count)
                failures += errors.count
                if errors.isEmpty {
                    try bench.system.sweep()
                    #expect(try bench.state() == bench.before, "call \(number)")
                }
                #expect(bench.restore().flatMap(\.errors).isEmpty)
                try bench.system.sweep()
                #expect(try bench.state() == bench.before, "call \(number)")
            }
            // The resource is examined before it is written, which need not succeed.
            #expect(failures > count / Self.step / 5, "\(failures) of \(count)")
            #expect(try bench.countsRight())
        }
    }

    @Test(
        "if nothing can be written any more, an unchanged resource is not a failure of the revert, and the others are reported",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable), arguments: FaultWorld.all, causes)
    func unwritable(world: FaultWorld, cause: Errno) async throws {
        try await world.run {
            let bench = try FaultBench(world)
            #expect(bench.apply().flatMap(\.errors).isEmpty)
            #expect(bench.restore().flatMap(\.errors).isEmpty)
            var number = 0
            while true {
                bench.calls.fail(writesFrom: number, cause)
                let results = bench.apply()
                let isOver = !bench.calls.failed
                let begun = Set(results.flatMap { $0.written + $0.errors.compactMap(\.resource) })
                if number == 0 { #expect(results.flatMap(\.written).isEmpty && results.count == 1) }
                bench.calls.fail(writesFrom: 0, cause)
                let reverted = bench.restore()
                let failed = reverted.flatMap(\.errors).compactMap(\.resource)
                #expect(failed.allSatisfy { begun.contains($0) }, "call \(number): \(reverted)")
                if number == 0 { #expect(failed.isEmpty, "\(reverted)") }
                #expect(reverted.map(\.adapter) == bench.change.parts.map(\.adapter).reversed())
                bench.calls.fail(at: nil)
                #expect(bench.restore().flatMap(\.errors).isEmpty)
                try bench.system.sweep()
                // A directory that was made stays where something was left in it that was swept after that.
                let (now, then) = (try bench.state(), bench.before)
                #expect(then.allSatisfy { now[$0.key] == $0.value }, "call \(number)")
                #expect(now.allSatisfy { then[$0.key] != nil || $0.value.hasPrefix("40") }, "call \(number)")
                if isOver { break }
                number += Self.step
            }
            #expect(number > 2)
        }
    }

    @Test(
        "if check cannot read a resource, it names its setting, and nothing is written",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable), arguments: FaultWorld.all,
        [Errno.ioError, .notPermitted, .readOnlyFileSystem].prefix(TestMachine.rounds(3, briefly: 1)))
    func check(world: FaultWorld, cause: Errno) async throws {
        try await world.run {
            let bench = try FaultBench(world)
            func problems() -> [SettingProblem] { bench.set.check(bench.settings.b, bench.change, on: bench.system) }
            func plan() -> (steps: [PlannedStep], effects: [String], problems: [SettingProblem]) {
                bench.set.plan(
                    bench.change, from: bench.settings.a, to: bench.settings.b, on: bench.system,
                    origins: bench.origins)
            }
            let paths = (world.a + world.b).map(\.0)
            func expect(_ found: [SettingProblem]) {
                for problem in found {
                    #expect(problem.code == .system && problem.reason.utf8.count < 300, "\(problem)")
                    #expect(paths.contains { problem.path.text.hasPrefix($0) || $0.hasPrefix(problem.path.text) })
                }
            }
            #expect(problems().isEmpty && plan().problems.isEmpty)
            let count = bench.calls { _ = problems() }
            for number in stride(from: 0, to: count, by: Self.step) {
                bench.calls.fail(at: number, cause)
                let found = problems()
                #expect(bench.calls.failed && bench.calls.writes == 0)
                #expect(found.count <= 1, "call \(number): \(found)")
                expect(found)
            }
            let looks = bench.calls { _ = plan() }
            for number in stride(from: 0, to: looks, by: Self.step) {
                bench.calls.fail(at: number, cause)
                let found = plan()
                #expect(bench.calls.failed && bench.calls.writes == 0)
                #expect(found.problems.count <= 1 && found.steps.count + found.problems.count == bench.mementos.count)
                expect(found.problems)
            }
            // A lasting failure is reported for each setting.
            let steps = Set(bench.change.parts.flatMap(\.steps).map(\.path))
            bench.calls.fail(from: 0, cause)
            for found in [problems(), plan().problems] {
                #expect(steps.isSubset(of: found.map(\.path)), "\(found)")
                expect(found)
            }
            #expect(bench.calls.writes == 0)
            bench.calls.fail(at: nil)
            #expect(try bench.state() == bench.before)
        }
    }

    @Test("an adapter that exceeds its time is stopped between its resources")
    func late() throws {
        let board = try TestBoard()
        let change = board.set.change(from: nil, to: try board.settings([("system/hostname", "a")]))
        var now = BootTime(nanoseconds: 0)
        let results = board.set.applier.apply(change, on: board.system, origins: [:]) {
            defer { now = now.advanced(by: .seconds(11)) }
            return now
        }
        #expect(results.count == 1 && results[0].isLate && !results[0].isSuccess)
        #expect(results[0].written == [.file("/etc/hostname")])
        #expect(results[0].errors.map(\.stage) == [.apply])
        let error = try #require(results[0].errors.first)
        #expect(error.resource == .file("/etc/hostname") && error.errno == nil, "\(error)")
        #expect(error.reason.contains("\(Duration.seconds(10))"), "\(error)")
    }

    @Test("a late capture is not applied; a late restore is reported and complete")
    func lateOtherwise() throws {
        let board = try TestBoard()
        let before = try board.state()
        let change = board.set.change(
            from: nil, to: try board.settings([("system/hostname", "a"), ("system/timezone", "Europe/Paris")]))
        var now = BootTime(nanoseconds: 0)
        func slow() -> BootTime {
            defer { now = now.advanced(by: .seconds(11)) }
            return now
        }
        let error = #expect(throws: ResourceError.self) {
            try board.set.applier.capture(change, on: board.system, clock: slow)
        }
        #expect(error?.stage == .capture && error?.resource == .file("/etc/hostname"))
        #expect(error?.errno == nil && error?.reason.contains("\(Duration.seconds(10))") == true)

        let mementos = try board.set.applier.capture(change, on: board.system)
        let applied = board.set.applier.apply(change, on: board.system, origins: [:])
        #expect(applied.allSatisfy { $0.isSuccess })
        #expect(try board.state() != before)
        let back = board.set.applier.restore(mementos, on: board.system, clock: slow)
        #expect(Set(back.map(\.adapter)) == ["host-name", "time-zone"])
        #expect(back.allSatisfy { $0.isLate && $0.errors.isEmpty })
        #expect(try board.state() == before)
    }

    @Test("the brightness of an LED is restored after the trigger “none”, and before any other")
    func lights() throws {
        let bench = try FaultBench(.leds)
        func order(of led: String, in resources: [Resource]) -> [String] {
            resources.compactMap { resource in
                guard case .attribute(let path) = resource, path.hasPrefix("/sys/class/leds/\(led)/") else {
                    return nil
                }
                return String(path.split(separator: "/").last ?? "")
            }
        }
        // Green had no trigger and gets one; red had one, and gets a brightness; blue gets back what it had at first.
        let adapter = LEDAdapter()
        let back = adapter.restoreOrder(bench.mementos)
        #expect(Set(back) == Set(bench.mementos.map(\.resource)) && back.count == bench.mementos.count)
        #expect(order(of: "green", in: back) == ["trigger", "brightness"])
        #expect(order(of: "red:status", in: back) == ["brightness", "trigger"])
        let applied = bench.set.applier.apply(bench.change, on: bench.system, origins: bench.origins).flatMap(\.errors)
        #expect(applied.isEmpty, "\(applied)")
        let blinking = ["delay_on", "delay_off"].map { Resource.attribute("/sys/class/leds/blue/" + $0) }
        #expect(try blinking.map { try bench.system.content(of: $0) } == [Array("100".utf8), Array("900".utf8)])
        let results = bench.set.applier.restore(bench.mementos, on: bench.system)
        let errors = results.flatMap(\.errors)
        #expect(errors.isEmpty, "\(errors)")
        let told = results.flatMap { $0.written + $0.skipped.map(\.resource) }
        #expect(told.count == bench.mementos.count)
        #expect(try bench.state() == bench.before)
    }
}
