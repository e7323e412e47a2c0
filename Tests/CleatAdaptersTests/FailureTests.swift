import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Every call of capture, apply and restore fails once.
@Suite struct FailureTests {
    /// Every call; where each takes its time, one of four.
    static let step = TestMachine.rounds(1, onSlowOnes: 4)
    static let causes = [Errno.noSpace, .notPermitted, .readOnlyFileSystem, .ioError]
        .prefix(TestMachine.rounds(4, onSlowOnes: 1))

    static let a: [(String, JSONValue)] = [
        ("system/hostname", "old"), ("time/ntp/servers", ["192.0.2.1"]),
        ("kernel/sysctl/net.ipv4.ip_forward", 0), ("kernel/attributes/class~1net~1lo~1tx_queue_len", 1000),
    ]
    static let b: [(String, JSONValue)] = [
        ("system/hostname", "new.example.org"), ("system/timezone", "Europe/Berlin"), ("time/ntp/enabled", false),
        ("kernel/sysctl/net.ipv4.ip_forward", 1), ("kernel/attributes/class~1net~1lo~1tx_queue_len", 5),
    ]

    /// A board on which A is in force, and B is about to be.
    struct Bench {
        let board: TestBoard
        let change: SystemChange
        var origins: [Resource: Memento] = [:]
        let before: [String: String]

        init() throws {
            board = try TestBoard(isRunning: true) { root in
                try makeDirectories(root + "/etc/sysctl.d")
                try makeLink(root + "/etc/localtime", to: "../usr/share/zoneinfo/UTC")
                for (path, text) in [
                    ("/etc/hosts", "127.0.1.1 first\n"), ("/etc/timezone", "UTC\n"), ("/run/hostname", "first\n"),
                    ("/usr/lib/systemd/systemd-timesyncd", "program"),
                ] {
                    let file = try FileDescriptor.open(
                        FilePath(root + path), .writeOnly, options: .create, permissions: .ownerReadWrite)
                    _ = try file.closeAfter { try file.writeAll(text.utf8) }
                }
                try makeLink(root + "/etc/hostname", to: "../run/hostname")
            }
            let (a, b) = (try board.settings(FailureTests.a), try board.settings(FailureTests.b))
            let first = try AppliedChange(board, from: try board.settings([]), to: a, origins: &origins)
            try #require(first.isSuccess, "\(first.results)")
            before = try board.state()
            change = board.set.change(from: a, to: b)
            #expect(
                change.parts.map(\.adapter) == [
                    "host-name", "time-zone", "time-servers", "sysctl", "kernel-attributes",
                ])
            for memento in try board.set.capture(change, on: board.system)
            where origins[memento.resource] == nil {
                origins[memento.resource] = memento
            }
        }
    }

    @Test(
        "what cannot be captured is named, and nothing has changed",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable), arguments: causes)
    func capture(cause: Errno) async throws {
        try await OwnNamespaces.run {
            let bench = try Bench()
            var failures = 0
            for round in 0... {
                let number = round * Self.step
                bench.board.calls.fail(at: number, cause)
                do throws(ResourceError) {
                    _ = try bench.board.set.capture(bench.change, on: bench.board.system)
                    // Attributes of files that may not be read are none.
                    if !bench.board.calls.failed { break }
                    #expect(cause == .notPermitted, "call \(number)")
                } catch {
                    failures += 1
                    #expect(error.stage == .capture)
                    #expect(error.resource.map { bench.change.resources.contains($0) } == true)
                    #expect(error.description.hasPrefix("Could not capture "))
                }
            }
            bench.board.calls.fail(at: nil)
            #expect(failures > 40 / Self.step)
            #expect(try bench.board.state() == bench.before)
        }
    }

    @Test(
        "what cannot be applied is named, nothing follows it, and the revert brings all back",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable), arguments: causes)
    func apply(cause: Errno) async throws {
        try await OwnNamespaces.run {
            let bench = try Bench()
            let (set, system, calls) = (bench.board.set, bench.board.system, bench.board.calls)
            let mementos = try set.capture(bench.change, on: system)
            var failures = 0
            for round in 0... {
                let number = round * Self.step
                calls.fail(at: number, cause)
                let results = set.apply(bench.change, on: system, origins: bench.origins)
                let failed = calls.failed
                calls.fail(at: nil)
                if results.contains(where: { !$0.isSuccess }) {
                    failures += 1
                    #expect(failed)
                    #expect(results.dropLast().allSatisfy { $0.isSuccess })
                    let last = try #require(results.last)
                    #expect(last.errors.count == 1 && last.errors.first?.resource != nil, "call \(number)")
                    let begun = bench.change.parts.prefix(results.count).map(\.adapter)
                    #expect(results.map(\.adapter) == begun)
                }
                let reverted = set.restore(mementos, on: system)
                #expect(reverted.flatMap(\.errors).isEmpty, "call \(number): \(reverted)")
                try system.sweep()
                #expect(try bench.board.state() == bench.before, "call \(number)")
                if !failed { break }
            }
            #expect(failures > 60 / Self.step)
        }
    }

    @Test(
        "a revert of which one call fails goes on, says so, and can be done again",
        .enabled("\(OwnNamespaces.reason)", OwnNamespaces.areAvailable), arguments: causes)
    func restore(cause: Errno) async throws {
        try await OwnNamespaces.run {
            let bench = try Bench()
            let (set, system, calls) = (bench.board.set, bench.board.system, bench.board.calls)
            let mementos = try set.capture(bench.change, on: system)
            var failures = 0
            for round in 0... {
                let number = round * Self.step
                let applied = set.apply(bench.change, on: system, origins: bench.origins)
                try #require(applied.flatMap(\.errors).isEmpty)
                calls.fail(at: number, cause)
                let results = set.restore(mementos, on: system)
                let failed = calls.failed
                calls.fail(at: nil)
                let errors = results.flatMap(\.errors)
                #expect(errors.count <= 1 && (failed || errors.isEmpty))
                #expect(results.map(\.adapter) == bench.change.parts.map(\.adapter).reversed())
                let done = results.flatMap { $0.written + $0.skipped.map(\.resource) }
                #expect(done.count + errors.count == mementos.count)
                failures += errors.count
                #expect(set.restore(mementos, on: system).flatMap(\.errors).isEmpty)
                try system.sweep()
                #expect(try bench.board.state() == bench.before, "call \(number)")
                if !failed { break }
            }
            #expect(failures > 60 / Self.step)
        }
    }

    @Test("an adapter that takes too long is stopped between its resources")
    func late() throws {
        let board = try TestBoard()
        let change = board.set.change(from: nil, to: try board.settings([("system/hostname", "a")]))
        var now = BootTime(nanoseconds: 0)
        let results = board.set.apply(change, on: board.system, origins: [:]) {
            defer { now = now.advanced(by: .seconds(11)) }
            return now
        }
        #expect(results.count == 1 && results[0].isLate && !results[0].isSuccess)
        #expect(results[0].written == [.file("/etc/hostname")])
        #expect(results[0].errors.first?.description.contains("has taken more than") == true)
    }

    @Test("what is captured too late is not applied; what comes back too late is told, and all of it comes back")
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
            try board.set.capture(change, on: board.system, clock: slow)
        }
        #expect(error?.stage == .capture && error?.resource == .file("/etc/hostname"))
        #expect(error?.description.contains("has taken more than") == true)

        let mementos = try board.set.capture(change, on: board.system)
        let applied = board.set.apply(change, on: board.system, origins: [:])
        #expect(applied.allSatisfy { $0.isSuccess })
        #expect(try board.state() != before)
        let back = board.set.restore(mementos, on: board.system, clock: slow)
        #expect(Set(back.map(\.adapter)) == ["host-name", "time-zone"])
        #expect(back.allSatisfy { $0.isLate && $0.errors.isEmpty })
        #expect(try board.state() == before)
    }
}
