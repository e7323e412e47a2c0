import CleatSandbox
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

/// Counts the outcomes of operations that run concurrently with another task, and notifies that task of their end.
private final class Tally: Sendable {
    private let state = Mutex<(isOver: Bool, counts: [String: Int])>((false, [:]))

    var isOver: Bool { state.withLock { $0.isOver } }
    var total: Int { state.withLock { $0.counts.values.reduce(0, +) } }

    func end() { state.withLock { $0.isOver = true } }
    func count(_ what: String) { state.withLock { $0.counts[what, default: 0] += 1 } }
}

/// Managed files on a file system that fails at each call, and while links are exchanged.
@Suite struct ManagedFaultTests {
    enum Step: String, CaseIterable { case write, writeNew, remove, restore, read, capture }

    func prepared(_ step: Step, _ kind: RootResolver.Kind, _ calls: FaultyFileCalls) throws -> (
        ManagedBench, FileMemento
    ) {
        let bench = try ManagedBench(kind, makesParents: true, calls: calls)
        try SandboxListing.makeLink(bench.place("/etc/hostname"), to: "../run/hostname")
        try bench.put("other", "/run/hostname")
        let memento = try bench.files.capture("/etc/hostname")
        try bench.put("old", "/run/hostname")
        calls.set(.never)
        return (bench, memento)
    }

    func take(_ step: Step, _ bench: ManagedBench, _ memento: FileMemento) throws {
        switch step {
        case .write: try bench.files.write(Array("new".utf8), to: "/etc/hostname")
        case .writeNew: try bench.files.write(Array("new".utf8), to: "/etc/systemd/network/a.network")
        case .remove: try bench.files.remove("/etc/hostname")
        case .restore: try bench.files.restore(memento)
        case .read: _ = try bench.files.read("/etc/hostname")
        case .capture: _ = try bench.files.capture("/etc/hostname")
        }
    }

    /// A slow board has time for one of them.
    private static let causes: [Errno] =
        TestMachine.slowness > 1 ? [.noSpace] : [.noSpace, .ioError, .diskQuotaExceeded, .readOnlyFileSystem]

    @Test(arguments: rootResolvers, Step.allCases)
    func aFailedCallIsAnErrorAndLeavesAFileWhole(kind: RootResolver.Kind, step: Step) throws {
        let calls = FaultyFileCalls()
        let (first, memento) = try prepared(step, kind, calls)
        try take(step, first, memento)
        let count = calls.made.count
        #expect(count >= 4)
        for cause in Self.causes {
            for at in 0..<count {
                let calls = FaultyFileCalls()
                let (bench, memento) = try prepared(step, kind, calls)
                calls.set(.once(at: at, cause))
                let failed = try code { try take(step, bench, memento) }
                #expect(calls.failed == 1)
                #expect(failed == SandboxError.Code(cause), "call \(at) \(calls.made[at])")
                let name = step == .writeNew ? "/etc/systemd/network/a.network" : "/run/hostname"
                let found = try? bench.text(name)
                switch step {
                case .write: #expect(found == "old" || found == "new")
                case .writeNew: #expect(found == nil || found == "new")
                case .remove: #expect(found == "old" || found == nil)
                case .restore: #expect(found == "old" || found == "other")
                case .read, .capture: #expect(found == "old")
                }
                // The same step succeeds without the fault, and removes the traces of the failed one.
                calls.set(.never)
                try take(step, bench, memento)
                try bench.files.sweep()
                #expect(try bench.names("/run").allSatisfy { $0 == "hostname" })
                try bench.expectNothingOutside()
            }
        }
    }

    @Test(arguments: rootResolvers)
    func linksThatAreExchangedMeanwhileLeadNowhereElse(kind: RootResolver.Kind) async throws {
        let bench = try ManagedBench(kind)
        let canary = bench.outside.appending("canary")
        try bench.put("inside", "/run/inside")
        let link = bench.place("/etc/hostname")
        // A plain file, links within the root and to the outside, and absence take turns under one name.
        for (index, target) in ["../run/inside", canary, "../../canary", "/../../canary", "../run/none"].enumerated() {
            try SandboxListing.makeLink(bench.place("/run/link-\(index)"), to: target)
        }
        let place = bench.place("/run/")
        let tally = Tally()
        let files = bench.files
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var turn = 0
                while !tally.isOver {
                    // It is made under another name and renamed: the name always has a file.
                    let next = place + "next"
                    let target = ["../run/inside", canary, "../../canary", "/../../canary", "../run/none"][turn % 5]
                    try SandboxListing.makeLink(next, to: target)
                    try SandboxListing.rename(next, to: link)
                    turn += 1
                    await Task.yield()
                }
            }
            group.addTask {
                defer { tally.end() }
                for round in 0..<600 {
                    do throws(SandboxError) {
                        switch round % 3 {
                        case 0: try files.write(Array("inside".utf8), to: "/etc/hostname")
                        case 1:
                            let bytes = try files.read("/etc/hostname").bytes
                            #expect(bytes == Array("inside".utf8))
                        default: try files.remove("/etc/hostname")
                        }
                        tally.count("done")
                    } catch {
                        tally.count("\(error.code)")
                        // `isDirectory`: a canary’s way may be that of the root itself.
                        #expect(
                            [.notFound, .symbolicLink, .changed, .isDirectory].contains(error.code),
                            "\(error.code): \(error)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(tally.total == 600)
        #expect(try bench.outside.read("canary") == "precious")
        #expect(
            try SandboxListing.names(bench.outside.text).sorted() == ["canary", "root"])
    }
}
