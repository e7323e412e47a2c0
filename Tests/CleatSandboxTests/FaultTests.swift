import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Each call of each operation fails once, before or after it has done its work.
@Suite struct FaultTests {
    enum Operation: String, CaseIterable {
        case write, replace, append, appendNew, delete, rename, renameOver, makeDirectory, removeDirectory, removeAll
        case copy, copyOver, move, moveDirectory, moveAcross, read, list, attributes
        case makeParents, stream, letGo, isWritable, space

        /// Returns true if an operation of several durable steps may leave these trees after some of its steps.
        func mayLeave(_ trees: [Tree], _ before: [Tree], _ after: [Tree]) -> Bool {
            func isBetween(_ tree: Tree, _ one: Tree, _ other: Tree) -> Bool {
                tree.nodes.allSatisfy { one.nodes[$0.key] == $0.value || other.nodes[$0.key] == $0.value }
                    && one.nodes.allSatisfy { other.nodes[$0.key] == nil || tree.nodes[$0.key] != nil }
            }
            switch self {
            // A part of what it held is gone.
            case .removeAll: return isBetween(trees[0], before[0], after[0]) && trees[1] == before[1]
            // Some of the directories are made.
            case .makeParents: return isBetween(trees[0], before[0], after[0]) && trees[1] == before[1]
            // The copy is there, and the file, too.
            case .moveAcross: return trees[0] == before[0] && trees[1] == after[1]
            default: return false
            }
        }

        func run(_ files: SandboxedDirectory, _ other: SandboxedDirectory) throws {
            let paths = TextPaths(files)
            switch self {
            case .write: try paths.write("new", to: "d/new")
            case .replace: try paths.write("other content", to: "d/file")
            case .append: try paths.append(Array(" more".utf8), to: "d/file")
            case .appendNew: try paths.append(Array("new".utf8), to: "d/new")
            case .delete: try paths.delete("d/file")
            case .rename: try paths.rename("d/file", to: "renamed")
            case .renameOver: try paths.rename("d/file", to: "top", replacing: true)
            case .makeDirectory: try paths.makeDirectory("d/new")
            case .removeDirectory: try paths.removeDirectory("d/empty")
            case .removeAll: try paths.removeDirectory("d", recursive: true)
            case .copy: try paths.copy("d/file", as: "copy")
            case .copyOver: try paths.copy("d/file", as: "top", replacing: true)
            case .move: try paths.move("d/file", to: TextPaths(other), as: "moved")
            case .moveDirectory: try paths.move("d", to: TextPaths(other), as: "moved")
            case .moveAcross:
                // As between two file systems: copied, and then deleted.
                let copy = try FileCopy(
                    SandboxPath("d/file"), in: files.root, to: SandboxPath("moved"), in: other.root, replacing: false)
                while try !copy.step() {}
                try copy.commit()
                try paths.delete("d/file")
            case .makeParents: try paths.makeDirectory("d/e/f", withParents: true)
            case .stream:
                let writer = try paths.writer("d/file")
                for part in ["one ", "two ", "three"] { try writer.write(Array(part.utf8)) }
                try writer.commit()
            case .letGo: try paths.writer("d/file").write([1, 2, 3, 4])
            case .isWritable: _ = try files.isWritable(SandboxPath("d/file"))
            case .space: _ = try files.root.space()
            case .read: _ = try paths.read("d/file")
            case .list: _ = try paths.list(recursive: true)
            case .attributes: _ = try paths.attributes(of: "d/file")
            }
        }
    }

    /// The calls that are made only after a failure: the truncation of appended bytes.
    static let onlyAfterAFailure: Set<FileCall> = [.truncate]

    /// Every call is made to fail by some operation; otherwise it is not tested.
    @Test func everyCallThereIsIsMadeToFail() throws {
        var made: Set<FileCall> = []
        for kind in ResolverKind.available {
            for operation in Operation.allCases {
                let bench = try Bench(kind)
                for isShort in [false, true] {
                    // Both ways of a copy that the file system of the test may not go by itself.
                    bench.calls.decide { call, _ in
                        isShort && (call == .clone || call == .copy) ? .fails(.notSupported) : .works
                    }
                    try? operation.run(bench.area.files, bench.other.files)
                    made.formUnion(bench.calls.made)
                }
            }
        }
        // Those of uploads are made to fail in a suite of their own.
        let uploads: Set<FileCall> = [.writeBack]
        let left = Set(FileCall.allCases).subtracting(made).subtracting(FileCall.managed).subtracting(uploads)
            .subtracting(Self.onlyAfterAFailure)
        #expect(left.isEmpty, "\(left)")
    }

    /// Appended bytes are truncated; if that fails too, it is reported, and the account is right nevertheless.
    @Test(arguments: ResolverKind.available)
    func whatCannotBeUndoneOfAnAppendIsReported(kind: ResolverKind) throws {
        let bench = try Bench(kind)
        let path = try SandboxPath("d/file")
        bench.calls.decide { call, _ in
            switch call {
            case .write: .failsHalfway(.noSpace)
            case .truncate: .fails(.ioError)
            default: .works
            }
        }
        let error = try #require(throws: SandboxError.self) {
            try bench.area.files.append(Array(" more".utf8), to: path)
        }
        #expect(error.code == .noSpace && error.errno == .noSpace && error.path == "d/file")
        // The error of the truncation is in it, too.
        #expect(error.detail?.contains("\(Errno.ioError)") == true, "\(error)")
        bench.calls.work()
        #expect(try TextPaths(bench.area.files).text(of: "d/file") == "old content m")
        #expect(try bench.leftovers().count == 1)
        // It is tried again before the area is read.
        #expect(try bench.area.root.account.usage() == Tree(bench.area.place("")).usage)
        #expect(try bench.leftovers().isEmpty)
        #expect(try TextPaths(bench.area.files).text(of: "d/file") == "old content")
        // If the truncation works, none of it remains.
        bench.calls.decide { call, _ in call == .write ? .failsHalfway(.diskQuotaExceeded) : .works }
        #expect(try code { try bench.area.files.append(Array(" more".utf8), to: path) } == .noSpace)
        #expect(bench.calls.made.contains(.truncate))
        bench.calls.work()
        #expect(try TextPaths(bench.area.files).text(of: "d/file") == "old content")
    }

    /// Two areas with some files, whose calls can be made to fail.
    final class Bench {
        let calls = FaultyFileCalls()
        let outside: TemporaryDirectory
        let area: TestArea
        let other: TestArea

        init(_ kind: ResolverKind) throws {
            outside = try TemporaryDirectory()
            calls.flushes = false
            area = try TestArea(kind, calls: calls, in: outside)
            other = try TestArea(kind, area: .inbox, calls: calls)
            let paths = TextPaths(area.files)
            try paths.makeDirectory("d/empty", withParents: true)
            try paths.write("old content", to: "d/file")
            try paths.write("top", to: "top")
        }

        func trees() throws -> [Tree] { try [Tree(area.place("")), Tree(other.place(""))] }

        func leftovers() throws -> [String] {
            try [area, other].flatMap { area in
                try (area.names() + ((try? area.names("d")) ?? [])).filter { $0.hasPrefix(".cleat-") }
            }
        }
    }

    /// Returns the error that a failed call must be reported with.
    private func expected(_ cause: Errno) -> SandboxError.Code { SandboxError.Code(cause) }

    /// A slow board has time for one of them.
    static let causes: [Errno] =
        TestMachine.slowness > 1
        ? [.noSpace] : [.ioError, .noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .permissionDenied]

    @Test(arguments: Operation.allCases, causes)
    func aFailedCallIsReportedAndLeavesTheOldStateOrTheNew(operation: Operation, cause: Errno) throws {
        // The way to open paths does not depend on the way to report failures.
        for kind in cause == Self.causes[0] ? ResolverKind.available : [.walk] {
            let whole = try Bench(kind)
            let before = try whole.trees()
            whole.calls.work()
            try operation.run(whole.area.files, whole.other.files)
            let after = try whole.trees()
            let made = whole.calls.made
            try #require(!made.isEmpty)
            for (number, call) in made.enumerated() {
                var fates: [(String, CallFate)] = [("", .fails(cause))]
                if call.changes { fates.append((" late", .failsLate(cause))) }
                if call.takesBytes { fates.append((" halfway", .failsHalfway(cause))) }
                for (way, fate) in fates {
                    let bench = try Bench(kind)
                    bench.calls.decide { _, index in index != number ? .works : fate }
                    var failure: SandboxError?
                    do {
                        try operation.run(bench.area.files, bench.other.files)
                    } catch let error as SandboxError {
                        failure = error
                    }
                    bench.calls.work()
                    let name = "\(operation) \(kind), call \(number) (\(call)) \(cause)\(way)"
                    let trees = try bench.trees()
                    if let failure {
                        let codes = [expected(cause), .notFound]
                        #expect(codes.contains(failure.code), "\(name): \(failure)")
                        #expect(failure.description.utf8.count > 20)
                        #expect(
                            trees == before || trees == after || operation.mayLeave(trees, before, after),
                            "\(name): \(trees)")
                    } else {
                        // A call that the operation can do without: a clone, a close, a notification of changes.
                        #expect(trees == after, "\(name): \(trees)")
                    }
                    for (area, tree) in zip([bench.area, bench.other], trees) {
                        let usage = try area.root.account.usage()
                        let left = try Tree(area.place(""), reserved: true)
                        #expect(usage.files == tree.usage.files, "\(name): \(usage), \(left)")
                        #expect(usage.bytes == left.usage.bytes, "\(name): \(usage), \(left)")
                        #expect(area.root.account.reserved == AreaUsage(), "\(name)")
                    }
                    // A temporary file that was not reported is swept at the next start.
                    if call != .remove, call != .create { #expect(try bench.leftovers().isEmpty, "\(name)") }
                }
            }
        }
    }

    @Test(arguments: Operation.allCases)
    func interruptedAndShortCallsAreGoneOnWith(operation: Operation) throws {
        for kind in ResolverKind.available {
            let whole = try Bench(kind)
            try operation.run(whole.area.files, whole.other.files)
            let bench = try Bench(kind)
            bench.calls.slice = 1
            bench.calls.decide { call, index in
                // What only looks, and closing, is never interrupted.
                switch call {
                case .attributes, .attributesOfName, .close, .names, .checkAccess, .space: .works
                default: index.isMultiple(of: 2) ? .works : .fails(.interrupted)
                }
            }
            try operation.run(bench.area.files, bench.other.files)
            #expect(try bench.trees() == whole.trees())
            for (area, tree) in zip([bench.area, bench.other], try bench.trees()) {
                #expect(try area.root.account.usage() == tree.usage)
            }
        }
    }

    @Test(arguments: ResolverKind.available)
    func anOpenThatAlwaysLosesTheRaceGivesUp(kind: ResolverKind) throws {
        let bench = try Bench(kind)
        bench.calls.decide { call, _ in
            call == .openBeneath || call == .openName ? .fails(.wouldBlock) : .works
        }
        #expect(try code { _ = try bench.area.files.read(SandboxPath("d/file")) } == .busy)
        #expect(bench.calls.made.count < 200)
        let bound = bench.calls.made.count
        bench.calls.decide { call, number in
            (call == .openBeneath || call == .openName) && number < bound / 2 ? .fails(.wouldBlock) : .works
        }
        #expect(try TextPaths(bench.area.files).text(of: "d/file") == "old content")
    }

    @Test func aDirectoryThatCannotBeFlushedIsReportedAsDone() throws {
        let bench = try Bench(.walk)
        bench.calls.decide { call, _ in call == .flushDirectory ? .fails(.ioError) : .works }
        let error = try #require(throws: SandboxError.self) {
            try TextPaths(bench.area.files).write("new", to: "top")
        }
        #expect(error.code == .inputOutput && error.errno == .ioError && error.path == "top")
        let step = DurableFileError(stage: .flushDirectory, name: "top", cause: .ioError)
        #expect(step.isInPlace && error.detail?.hasPrefix(step.reason) == true, "\(error)")
        #expect(try bench.outside.read("area/top") == "new")
    }

    @Test func withoutProcAFileIsOpenedByItsNameAndCompared() throws {
        let bench = try Bench(.walk)
        bench.calls.decide { call, _ in call == .reopen ? .fails(.noSuchFileOrDirectory) : .works }
        #expect(try TextPaths(bench.area.files).text(of: "d/file") == "old content")
        // Between the look and the open another file takes the name.
        let area = bench.area
        bench.calls.decide { call, _ in
            guard call == .reopen else { return .works }
            try? SandboxListing.rename(area.place("top"), to: area.place("d/file"))
            return .fails(.noSuchFileOrDirectory)
        }
        #expect(try code { _ = try area.files.read(SandboxPath("d/file")) } == .changed)
    }
}
