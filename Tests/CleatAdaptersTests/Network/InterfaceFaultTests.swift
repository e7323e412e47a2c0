import CleatAdapters
import CleatJSON
import CleatSettings
import CleatTestSupport
import SystemPackage
import Testing

/// Every request to rtnetlink fails once, in capture, apply and restore, on an interface of the real kernel's.
@Suite(.tags(.board), .enabled(if: TestLink.isAvailable, "\(TestLink.reason)"))
struct InterfaceFaultTests {
    /// The errors of the kernel: to a change (the right is missing, no memory) and to a query (no answer, no buffer).
    ///
    /// The errors of files, such as a full disk, do not occur here.
    static let causes = [Errno.notPermitted, .noMemory, .ioError, .noBufferSpace]
        .prefix(TestMachine.rounds(4, briefly: 1))

    /// Each request; on slow boards some, which are all alike there.
    static let step = TestMachine.rounds(1, briefly: 5)

    static let a: [(String, JSONValue)] = [
        ("cleat0/addresses", ["192.0.2.1/24"]), ("cleat0/gateway", "192.0.2.9"),
        ("cleat0/routes", InterfaceRouteTests.routes(("10.0.0.0/8", "192.0.2.9", nil), ("172.16.0.0/12", nil, 5))),
    ]
    static let b: [(String, JSONValue)] = [
        ("cleat0/addresses", ["192.0.2.5/24", "198.51.100.1/24"]), ("cleat0/gateway", "198.51.100.9"),
        ("cleat0/mtu", 1400),
        (
            "cleat0/routes",
            InterfaceRouteTests.routes(("10.0.0.0/8", "198.51.100.9", nil), ("2001:db8:5::/48", nil, nil))
        ),
    ]

    /// An interface on which A is in force, and B is about to be.
    struct Bench {
        let link: TestLink
        let board: TestBoard
        let change: SystemChange
        let origins: [Resource: Memento]
        let mementos: [Memento]
        let before: [String]

        var calls: FaultyCalls { board.calls }

        init() throws {
            link = try TestLink("cleat0")
            board = try TestBoard(isRunning: true)
            let a = try InterfacesAdapterTests.settings(InterfaceFaultTests.a)
            var origins: [Resource: Memento] = [:]
            let first = try AppliedChange(board, from: try board.settings([]), to: a, origins: &origins)
            try #require(first.isSuccess, "\(first.results)")
            before = try kernelDump(link.name)
            change = board.set.change(from: a, to: try InterfacesAdapterTests.settings(InterfaceFaultTests.b))
            mementos = try board.set.applier.capture(change, on: board.system)
            self.origins = origins
        }

        func apply() -> [AdapterOutcome] { board.set.applier.apply(change, on: board.system, origins: origins) }

        func restore() -> [AdapterOutcome] { board.set.applier.restore(mementos, on: board.system) }

        func count(_ body: () throws -> Void) rethrows -> Int {
            calls.fail(at: nil)
            try body()
            return calls.count
        }

        /// Requires that an error names the interface, the reason, and the remedy.
        func check(_ error: ResourceError?, _ stage: ResourceError.Stage, _ cause: Errno, _ comment: Comment) {
            #expect(error?.stage == stage && error?.resource == .interface(link.name), comment)
            #expect(error?.errno == cause && error?.reason.contains("(") == true, comment)
        }
    }

    @Test("a failed capture is named, and nothing has changed", arguments: causes)
    func capture(cause: Errno) async throws {
        try await OwnNamespaces.run {
            let bench = try Bench()
            let count = try bench.count {
                _ = try bench.board.set.applier.capture(bench.change, on: bench.board.system)
            }
            #expect(count == 3)
            for number in 0..<count {
                bench.calls.fail(at: number, cause)
                let error = #expect(throws: ResourceError.self) {
                    try bench.board.set.applier.capture(bench.change, on: bench.board.system)
                }
                bench.check(error, .capture, cause, "request \(number)")
                #expect(bench.calls.writes == 0)
            }
            bench.calls.fail(at: nil)
            #expect(try kernelDump(bench.link.name) == bench.before)
        }
    }

    @Test("a failed request is named, and the revert restores the interface", arguments: causes)
    func apply(cause: Errno) async throws {
        try await OwnNamespaces.run {
            let bench = try Bench()
            let count = bench.count { #expect(bench.apply().flatMap(\.errors).isEmpty) }
            let after = try kernelDump(bench.link.name)
            #expect(bench.restore().flatMap(\.errors).isEmpty)
            #expect(try kernelDump(bench.link.name) == bench.before)
            var failures = 0
            for number in stride(from: 0, to: count, by: Self.step) {
                bench.calls.fail(at: number, cause)
                let errors = bench.apply().flatMap(\.errors)
                #expect(bench.calls.failed, "request \(number)")
                bench.calls.fail(at: nil)
                if errors.isEmpty {
                    // A route that was refused is asked for once more, behind the others.
                    #expect(try kernelDump(bench.link.name) == after, "request \(number)")
                } else {
                    failures += 1
                    #expect(errors.count == 1)
                    bench.check(errors.first, .apply, cause, "request \(number)")
                }
                #expect(bench.restore().flatMap(\.errors).isEmpty, "request \(number)")
                #expect(try kernelDump(bench.link.name) == bench.before, "request \(number)")
            }
            #expect(failures > count / Self.step / 2, "\(failures) of \(count)")
        }
    }

    @Test("a request that the kernel accepts without effect is a failure that names what is missing", .tags(.fault))
    func pretended() async throws {
        try await OwnNamespaces.run {
            let bench = try Bench()
            bench.calls.pretend()
            let error = bench.apply().flatMap(\.errors).first
            #expect(error?.stage == .apply && error?.resource == .interface(bench.link.name))
            for missing in ["has the MTU 1500 instead of 1400"] {
                #expect(error?.reason.contains(missing) == true, "\(String(describing: error))")
            }
            bench.calls.fail(at: nil)
            #expect(try kernelDump(bench.link.name) == bench.before)
        }
    }

    @Test("a revert in which one request fails reports it, and can be repeated", arguments: causes)
    func restore(cause: Errno) async throws {
        try await OwnNamespaces.run {
            let bench = try Bench()
            #expect(bench.apply().flatMap(\.errors).isEmpty)
            let count = bench.count { #expect(bench.restore().flatMap(\.errors).isEmpty) }
            var failures = 0
            for number in stride(from: 0, to: count, by: Self.step) {
                try #require(bench.apply().flatMap(\.errors).isEmpty)
                bench.calls.fail(at: number, cause)
                let errors = bench.restore().flatMap(\.errors)
                #expect(bench.calls.failed, "request \(number)")
                bench.calls.fail(at: nil)
                if errors.isEmpty {
                    #expect(try kernelDump(bench.link.name) == bench.before, "request \(number)")
                } else {
                    failures += 1
                    #expect(errors.count == 1)
                    bench.check(errors.first, .restore, cause, "request \(number)")
                }
                #expect(bench.restore().flatMap(\.errors).isEmpty, "request \(number)")
                #expect(try kernelDump(bench.link.name) == bench.before, "request \(number)")
            }
            #expect(failures > count / Self.step / 2, "\(failures) of \(count)")
        }
    }

    @Test("if no request is allowed any more, an unchanged interface is not a failure", arguments: causes)
    func refused(cause: Errno) async throws {
        try await OwnNamespaces.run {
            let bench = try Bench()
            bench.calls.fail(writesFrom: 0, cause)
            bench.check(bench.apply().flatMap(\.errors).first, .apply, cause, "the first request")
            #expect(bench.restore().flatMap(\.errors).isEmpty)
            bench.calls.fail(writesFrom: 1, cause)
            #expect(bench.apply().flatMap(\.errors).count == 1)
            bench.calls.fail(writesFrom: 0, cause)
            bench.check(bench.restore().flatMap(\.errors).first, .restore, cause, "it has another MTU")
            bench.calls.fail(at: nil)
            #expect(bench.restore().flatMap(\.errors).isEmpty)
            #expect(try kernelDump(bench.link.name) == bench.before)
        }
    }
}
