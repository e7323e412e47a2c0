import CleatSandbox
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

/// Files that are flushed together.
@Suite(.tags(.board)) struct ManagedBatchTests {
    static let declared = ["/etc/*.conf", "/run/*.conf"]
    static let paths = ["/etc/a.conf", "/run/b.conf", "/etc/c.conf"]

    func bench(_ calls: FaultyFileCalls = FaultyFileCalls(), sizeLimit: Int = 10_000) throws -> ManagedBench {
        let bench = try ManagedBench(.walking, Self.declared, sizeLimit: sizeLimit, calls: calls)
        for path in Self.paths { try bench.put("old", path, mode: 0o640) }
        calls.flushes = false
        calls.set(.never)
        return bench
    }

    func batch(_ bench: ManagedBench, _ paths: [String], _ text: String = "new") -> ManagedFiles {
        bench.files.batching(ManagedFileBatch(paths.map { ManagedFileWrite(Array(text.utf8), to: $0) }))
    }

    /// Returns the number of temporary files next to the targets.
    func temporaries(_ bench: ManagedBench) throws -> Int {
        try (bench.names("/etc") + bench.names("/run")).filter { $0.hasPrefix(DurableFile.temporaryPrefix) }.count
    }

    @Test func allIsFlushedBeforeTheFirstRenameAndEachDirectoryOnceAfterTheLast() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        let files = batch(bench, Self.paths)
        for path in Self.paths { try files.write(Array("new".utf8), to: path) }
        #expect(files.makeDurable().isEmpty)
        let order = calls.made.filter { [.write, .writeBack, .flush, .rename, .flushDirectory].contains($0) }
        #expect(
            order == Array(repeating: .write, count: 3) + Array(repeating: .writeBack, count: 6)
                + Array(repeating: .flush, count: 3) + Array(repeating: .rename, count: 3)
                + [.flushDirectory, .flushDirectory])
        for path in Self.paths {
            #expect(try bench.text(path) == "new")
            #expect(try bench.files.read(path).permissions == 0o640)
        }
        #expect(try temporaries(bench) == 0)
    }

    @Test func whatIsRestoredOrRemovedOrLinkedIsFlushedWithTheRest() throws {
        let calls = FaultyFileCalls()
        let bench = try ManagedBench(.walking, ["/etc/a.conf", "/etc/b.conf", "/etc/c.conf"], calls: calls)
        for path in ["/etc/a.conf", "/etc/b.conf"] { try bench.put("first", path, mode: 0o600) }
        let mementos = try ["/etc/a.conf", "/etc/b.conf"].map { try bench.files.capture($0) }
        for path in ["/etc/a.conf", "/etc/b.conf", "/etc/c.conf"] { try bench.put("second", path) }
        calls.set(.never)
        let files = bench.files.batching(ManagedFileBatch(mementos.compactMap { ManagedFileWrite($0) }))
        for memento in mementos { try files.restore(memento) }
        try files.remove("/etc/c.conf")
        #expect(files.makeDurable().isEmpty)
        #expect(calls.made.filter { $0 == .flushDirectory }.count == 1)
        let made = calls.made
        let (flushed, renamed) = (made.lastIndex(of: .flush), made.firstIndex(of: .rename))
        #expect(try #require(flushed) < #require(renamed))
        #expect(try bench.names("/etc") == ["a.conf", "b.conf"])
        #expect(try bench.text("/etc/a.conf") + bench.text("/etc/b.conf") == "firstfirst")
        #expect(try bench.files.read("/etc/b.conf").permissions == 0o600)
    }

    @Test func whereverTheProcessEndsEachFileIsWholeAndItCanBeDoneAgain() throws {
        let count = try { () throws -> Int in
            let calls = FaultyFileCalls()
            let bench = try bench(calls)
            let files = batch(bench, Self.paths)
            for path in Self.paths { try files.write(Array("new".utf8), to: path) }
            _ = files.makeDurable()
            return calls.made.count
        }()
        #expect(count > 60)
        for at in stride(from: 0, to: count, by: TestMachine.rounds(1, briefly: 5)) {
            let calls = FaultyFileCalls()
            let bench = try bench(calls)
            calls.decide { _, number in
                if number == at { calls.die() }
                return number >= at ? .fails(.ioError) : .works
            }
            var done = 0
            do throws(SandboxError) {
                let files = batch(bench, Self.paths)
                for path in Self.paths {
                    try files.write(Array("new".utf8), to: path)
                    done += 1
                }
                #expect(!files.makeDurable().isEmpty, "call \(at)")
            } catch {
                #expect(error.code == .inputOutput)
            }
            let found = try Self.paths.map { try bench.text($0) }
            #expect(found.allSatisfy { $0 == "old" || $0 == "new" }, "call \(at)")
            // In the order in which they were asked for.
            #expect(found == found.sorted() && found.prefix(done).allSatisfy { $0 == "new" })
            let others = FaultyFileCalls()
            others.flushes = false
            let again = try ManagedFiles(
                root: bench.outside.path.appending("root"), declarations: bench.files.declarations, calls: others)
            try again.sweep()
            #expect(try temporaries(bench) == 0)
            for path in Self.paths { try again.write(Array("new".utf8), to: path) }
            #expect(try Self.paths.map { try bench.text($0) } == ["new", "new", "new"])
        }
    }

    @Test func whatHasChangedSinceItWasWrittenAheadIsRewritten() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        try bench.put("elsewhere", "/run/target")
        let files = batch(bench, Self.paths)
        try files.write(Array("new".utf8), to: Self.paths[0])
        #expect(try temporaries(bench) == 2)
        // Another mode, and a link in the place of the file.
        try bench.put("other", Self.paths[1], mode: 0o600)
        try SandboxListing.rename(bench.place("/run/target"), to: bench.place("/etc/target"))
        try SandboxListing.makeLink(bench.place("/etc/next"), to: "target")
        try SandboxListing.rename(bench.place("/etc/next"), to: bench.place(Self.paths[2]))
        for path in Self.paths.dropFirst() { try files.write(Array("new".utf8), to: path) }
        #expect(files.makeDurable().isEmpty)
        #expect(try bench.files.read(Self.paths[1]).permissions == 0o600)
        #expect(try bench.text(Self.paths[1]) == "new" && bench.text("/etc/target") == "new")
        #expect(try bench.names("/etc") == ["a.conf", "c.conf", "target"])
        #expect(try temporaries(bench) == 0)
    }

    @Test func otherBytesThanWereAnnouncedAreTheOnesThatAreWritten() throws {
        let bench = try bench()
        let files = batch(bench, Self.paths, "announced")
        for path in Self.paths { try files.write(Array("asked for".utf8), to: path) }
        #expect(files.makeDurable().isEmpty)
        #expect(try Self.paths.allSatisfy { try bench.text($0) == "asked for" })
        #expect(try temporaries(bench) == 0)
    }

    @Test func whatFailsAheadIsReportedWhenItsTurnComesAndTheOthersAreWritten() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        for (index, path) in Self.paths.enumerated() {
            let flushes = Mutex(0)
            calls.decide { call, _ in
                guard call == .flush else { return .works }
                let number = flushes.withLock { count in
                    defer { count += 1 }
                    return count
                }
                return number == index ? .fails(.ioError) : .works
            }
            let files = batch(bench, Self.paths, "round \(index)")
            for path in Self.paths {
                do throws(SandboxError) {
                    try files.write(Array("round \(index)".utf8), to: path)
                } catch {
                    #expect(error.path == Self.paths[index] && error.code == .inputOutput)
                }
            }
            #expect(files.makeDurable().isEmpty)
            #expect(try temporaries(bench) == 0)
            for other in Self.paths { #expect(try (bench.text(other) == "round \(index)") == (other != path)) }
        }
    }

    @Test func withoutSpaceForSeveralTheyAreWrittenOneAfterTheOther() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        let present = Mutex(0)
        // There is space for one more file.
        calls.decide { call, _ in
            present.withLock { present in
                if call == .rename { present -= 1 }
                guard call == .create else { return .works }
                if present > 0 { return .fails(.noSpace) }
                present += 1
                return .works
            }
        }
        let files = batch(bench, Self.paths)
        for path in Self.paths { try files.write(Array("new".utf8), to: path) }
        #expect(files.makeDurable().isEmpty)
        #expect(calls.failed == 1)
        #expect(try Self.paths.allSatisfy { try bench.text($0) == "new" })
        #expect(try temporaries(bench) == 0)
    }

    @Test func onlySoMuchIsWrittenAhead() throws {
        let bench = try bench(sizeLimit: 2 << 20)
        let many = (0..<40).map { "/etc/\($0).conf" }
        for path in many { try bench.put("old", path) }
        do {
            let files = batch(bench, many)
            try files.write(Array("new".utf8), to: many[0])
            #expect(try temporaries(bench) == 31)
            for path in many.dropFirst() { try files.write(Array("new".utf8), to: path) }
            #expect(files.makeDurable().isEmpty)
        }
        #expect(try many.allSatisfy { try bench.text($0) == "new" })
        // What takes more is written by itself, and what is not asked for goes with the batch.
        let large = [UInt8](repeating: 0x78, count: 600_000)
        do {
            let files = bench.files.batching(ManagedFileBatch(many.map { ManagedFileWrite(large, to: $0) }))
            try files.write(large, to: many[0])
            #expect(try temporaries(bench) == 0)
        }
        do {
            let files = batch(bench, many)
            try files.write(Array("new".utf8), to: many[3])
            #expect(try temporaries(bench) == 31)
            withExtendedLifetime(files) {}
        }
        #expect(try temporaries(bench) == 0)
    }

    @Test func aDirectoryThatCannotBeFlushedIsReported() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        calls.set(.every(.flushDirectory, .ioError))
        let files = batch(bench, Self.paths)
        for path in Self.paths { try files.write(Array("new".utf8), to: path) }
        let failed = files.makeDurable()
        #expect(failed.map(\.path) == ["/etc/c.conf", "/run/b.conf"])
        let step = DurableFileError(stage: .flushDirectory, name: "c.conf", cause: .ioError)
        #expect(failed.allSatisfy { $0.error.code == .inputOutput && $0.error.errno == .ioError })
        #expect(failed.allSatisfy { $0.error.detail?.hasPrefix(step.reason) == true }, "\(failed)")
        #expect(files.makeDurable().isEmpty)
    }
}
