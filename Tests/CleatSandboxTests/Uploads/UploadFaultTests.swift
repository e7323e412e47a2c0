import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Uploads on a file system that fails, and in a process that ends, at each call.
@Suite struct UploadFaultTests {
    let old: [UInt8] = Array("old".utf8)
    let new: [UInt8]

    init() {
        var random = SeededGenerator(seed: 13)
        new = random.bytes(3000)
    }

    /// A bench with a file that an upload will replace, on calls that can fail.
    func bench(_ calls: FaultyFileCalls) throws -> UploadBench {
        let bench = try UploadBench(calls: calls)
        try bench.area.files.write(old, to: SandboxPath("file"))
        calls.set(.never)
        return bench
    }

    func file(_ bench: UploadBench) throws -> [UInt8] { try SandboxListing.bytes(bench.area.place("file")) }

    /// Returns the number of calls of an upload.
    func callsOfAnUpload() throws -> Int {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        try bench.put("id", "file", new, piece: 1000)
        return calls.made.count
    }

    @Test func whereverTheProcessEndsTheFileIsWhole() throws {
        let count = try callsOfAnUpload()
        #expect(count > 30)
        for at in 0...count {
            let calls = FaultyFileCalls()
            let before = try bench(calls)
            calls.set(.from(at, .ioError))
            var isAcknowledged = false
            do {
                try before.put("id", "file", new, piece: 1000)
                isAcknowledged = true
            } catch is UploadError {}
            #expect(isAcknowledged == (at == count))
            let found = try file(before)
            #expect(found == new || (found == old && !isAcknowledged), "ended at call \(at)")
            // The upload continues, or is deleted.
            let after = try before.restarted()
            for upload in after.store.uploads { #expect(upload.received <= Int64(new.count)) }
            // A client that has lost the answer gets it again, or can continue.
            if found == new {
                #expect(after.log.find("id") != nil || !after.store.uploads.isEmpty, "ended at call \(at)")
            }
            try after.expectExactAccount()
            try after.put("id", "file", new, piece: 1000)
            #expect(try file(after) == new)
            #expect(try after.area.names() == ["file"], "ended at call \(at)")
            try after.expectExactAccount()
            #expect(after.area.root.account.reserved == AreaUsage())
        }
    }

    @Test(
        arguments: TestMachine.slowness > 1
            ? [Errno.noSpace] : [.noSpace, .ioError, .diskQuotaExceeded, .readOnlyFileSystem])
    func afterOneFailedCallTheClientGoesOn(cause: Errno) throws {
        let count = try callsOfAnUpload()
        for at in 0..<count {
            let calls = FaultyFileCalls()
            let bench = try bench(calls)
            calls.set(.once(at: at, cause))
            var failures = 0
            // The client starts again after each failure, and continues at the reported offset.
            while true {
                do {
                    try bench.put("id", "file", new, piece: 1000)
                    break
                } catch let error as UploadError {
                    failures += 1
                    try #require(failures <= 2, "call \(at), \(error)")
                    #expect(error.code == .files, "call \(at)")
                    let found = try file(bench)
                    #expect(found == old || found == new)
                }
            }
            #expect(calls.failed == 1, "call \(at) of \(count)")
            #expect(try file(bench) == new)
            #expect(bench.area.root.account.reserved == AreaUsage(), "call \(at)")
            try bench.expectExactAccount()
            // What could not be removed at once is swept at the next start.
            let after = try bench.restarted()
            #expect(after.store.uploads.isEmpty)
            #expect(try after.area.names() == ["file"], "call \(at)")
        }
    }

    @Test func interruptedCallsAreMadeAgain() throws {
        let kinds: [FileCall] = [.write, .flush, .rename, .flushDirectory, .setPermissions]
        for at in 0..<(try callsOfAnUpload()) {
            let calls = FaultyFileCalls()
            let bench = try bench(calls)
            calls.set(.once(at: at, .interrupted))
            do {
                try bench.put("id", "file", new, piece: 1000)
            } catch is UploadError {
                // Calls that the system never interrupts may be errors.
                let failed = calls.made[at]
                #expect(!kinds.contains(failed))
            }
        }
    }

    @Test func aFailedFlushIsNotMadeAgain() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        _ = try bench.store.begin(bench.request("id", "file", new))
        try bench.send("id", new, from: 0)
        calls.set(.every(.flush, .ioError))
        #expect(try uploadError { try bench.commit("id") }?.cause?.code == .inputOutput)
        #expect(calls.made.filter { $0 == .flush }.count == 1)
        calls.set(.never)
        // The bytes are not reliable, so the upload is deleted.
        #expect(try uploadError { try bench.commit("id") }?.code == .unknown)
        #expect(try file(bench) == old)
        #expect(try bench.area.names() == ["file"])
    }

    @Test func whatTheDeviceCouldNotWriteEndsTheUpload() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        _ = try bench.store.begin(bench.request("id", "file", new))
        calls.set(.every(.writeBack, .ioError))
        #expect(try uploadError { _ = try bench.store.write("id", at: 0, [new[0]]) }?.cause?.code == .inputOutput)
        #expect(try uploadError { _ = try bench.store.write("id", at: 1, [new[1]]) }?.code == .unknown)
        #expect(try bench.area.names() == ["file"])
        try bench.expectExactAccount()
    }

    @Test func aFullDiskKeepsWhatHasArrived() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        _ = try bench.store.begin(bench.request("id", "file", new))
        _ = try bench.store.write("id", at: 0, Array(new[..<1000]))
        calls.set(.every(.write, .noSpace))
        #expect(
            try uploadError { _ = try bench.store.write("id", at: 1000, Array(new[1000...])) }?.cause?.code == .noSpace)
        calls.set(.never)
        #expect(try bench.store.begin(bench.request("id", "file", new)) == 1000)
        try bench.send("id", new, from: 1000)
        try bench.commit("id")
        #expect(try file(bench) == new)
        try bench.expectExactAccount()
    }

    @Test func aDirectoryThatCannotBeFlushedIsReportedAfterTheFileIsInPlace() throws {
        let calls = FaultyFileCalls()
        let bench = try bench(calls)
        // The log is there then, and flushes no directory.
        try bench.put("first", "other", old)
        _ = try bench.store.begin(bench.request("id", "file", new))
        try bench.send("id", new, from: 0)
        calls.set(.every(.flushDirectory, .ioError))
        let error = try uploadError { try bench.commit("id") }
        #expect(error?.cause?.code == .inputOutput && error?.cause?.errno == .ioError, "\(error as Any)")
        #expect(try file(bench) == new)
        // It is not taken for durable when it is asked for again.
        #expect(try uploadError { try bench.commit("id") }?.code == .unknown)
    }
}
