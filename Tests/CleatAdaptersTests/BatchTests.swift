import CleatAdapters
import CleatJSON
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// The files of one change share their flushes, whichever adapters they belong to.
@Suite(.tags(.board)) struct BatchTests {
    /// A board with the files of three adapters, and a change of all of them.
    private func bench() throws -> (TestBoard, SystemChange, [Memento]) {
        let board = try TestBoard { root in
            try makeDirectories(root + "/etc/sysctl.d")
            try makeLink(root + "/etc/localtime", to: "../usr/share/zoneinfo/UTC")
            for (path, text) in [("/etc/timezone", "UTC\n"), ("/etc/hostname", "old\n")] {
                let file = try FileDescriptor.open(
                    FilePath(root + path), .writeOnly, options: .create, permissions: .ownerReadWrite)
                _ = try file.closeAfter { try file.writeAll(text.utf8) }
            }
        }
        let change = board.set.change(
            from: nil,
            to: try board.settings([
                ("system/hostname", "new"), ("system/timezone", "Europe/Paris"), ("kernel/sysctl/vm.swappiness", 7),
            ]))
        #expect(change.parts.map(\.adapter) == ["host-name", "time-zone", "sysctl"])
        return (board, change, try board.set.applier.capture(change, on: board.system))
    }

    @Test("the files of all adapters are flushed before the first rename, each directory once after the last one")
    func order() throws {
        let (board, change, mementos) = try bench()
        let before = try board.state()
        board.calls.fail(at: nil)
        #expect(board.set.applier.apply(change, on: board.system, origins: [:]).allSatisfy { $0.isSuccess })
        let renames = Array(repeating: "rename", count: 4)
        #expect(board.calls.log == ["flush", "flush", "flush"] + renames + ["flush directory", "flush directory"])
        board.calls.fail(at: nil)
        #expect(board.set.applier.restore(mementos, on: board.system).allSatisfy { $0.isSuccess })
        // What was not there is removed, and the link is renamed.
        #expect(board.calls.log.filter { $0 == "flush" }.count == 2)
        #expect(board.calls.log.suffix(2) == ["flush directory", "flush directory"])
        #expect(board.calls.log.filter { $0 == "flush directory" }.count == 2)
        #expect(try board.state() == before)
    }

    @Test("a directory that cannot be flushed fails the change, and is named; in the revert, too")
    func directory() throws {
        let (board, change, mementos) = try bench()
        let before = try board.state()
        board.calls.fail(at: nil)
        _ = board.set.applier.apply(change, on: board.system, origins: [:])
        let last = board.calls.count - 1
        #expect(board.set.applier.restore(mementos, on: board.system).allSatisfy { $0.isSuccess })
        board.calls.fail(at: last, .ioError)
        let results = board.set.applier.apply(change, on: board.system, origins: [:])
        #expect(results.map(\.isSuccess) == [true, true, false])
        let error = try #require(results.last?.errors.first)
        #expect(error.stage == .apply && error.resource == .file("/etc/sysctl.d/60-cleat.conf"))
        let step = DurableFileError(stage: .flushDirectory, name: "60-cleat.conf", cause: .ioError)
        #expect(error.errno == .ioError && error.reason.hasPrefix(step.reason), "\(error)")
        #expect(results.last?.written.contains(.file("/etc/sysctl.d/60-cleat.conf")) == false)

        board.calls.fail(at: nil)
        _ = board.set.applier.restore(mementos, on: board.system)
        let end = board.calls.count - 1
        #expect(board.set.applier.apply(change, on: board.system, origins: [:]).allSatisfy { $0.isSuccess })
        board.calls.fail(at: end, .ioError)
        let back = board.set.applier.restore(mementos, on: board.system)
        #expect(back.flatMap(\.errors).count == 1 && back.flatMap(\.errors).first?.stage == .restore)
        board.calls.fail(at: nil)
        #expect(board.set.applier.restore(mementos, on: board.system).allSatisfy { $0.isSuccess })
        #expect(try board.state() == before)
    }

    @Test("a failure before the renames fails its own adapter; earlier and later ones are applied")
    func ahead() throws {
        let (board, change, mementos) = try bench()
        let before = try board.state()
        var failed: Set<String> = []
        for round in 0... {
            let number = round * TestMachine.rounds(1, briefly: 5)
            board.calls.fail(at: number, .ioError)
            let results = board.set.applier.apply(change, on: board.system, origins: [:])
            let isOver = !board.calls.failed
            board.calls.fail(at: nil)
            if let error = results.flatMap(\.errors).first {
                let adapter = try #require(results.last?.adapter)
                failed.insert(adapter)
                #expect(results.dropLast().allSatisfy { $0.isSuccess && !$0.written.isEmpty }, "call \(number)")
                #expect(error.resource != nil)
            }
            #expect(try board.leftovers().isEmpty, "call \(number)")
            #expect(board.set.applier.restore(mementos, on: board.system).allSatisfy { $0.isSuccess })
            #expect(try board.state() == before, "call \(number)")
            if isOver { break }
        }
        #expect(failed == ["host-name", "time-zone", "sysctl"])
    }
}

extension TestBoard {
    /// The temporary files below the root.
    fileprivate func leftovers() throws -> [String] { try state().keys.filter { $0.contains(".cleat-write-") } }
}
