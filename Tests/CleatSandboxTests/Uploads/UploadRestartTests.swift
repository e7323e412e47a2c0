import CleatHash
import CleatIO
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Uploads that outlast the service, and those that must not.
@Suite struct UploadRestartTests {
    let content: [UInt8]

    init() {
        var random = SeededGenerator(seed: 12)
        content = random.bytes(70_000)
    }

    /// A bench with an upload of which 500 bytes have arrived.
    func begun(_ path: String = "file") throws -> UploadBench {
        let bench = try UploadBench()
        if path.contains("/") { try SandboxListing.makeDirectory(bench.area.place("a")) }
        bench.area.root.account.recordForeignChange()
        _ = try bench.store.begin(bench.request("id", path, content))
        _ = try bench.store.write("id", at: 0, Array(content[..<500]))
        return bench
    }

    func partial(_ bench: UploadBench, _ directory: String = "") throws -> String {
        let name = try #require(bench.partials(directory).first { !$0.hasSuffix(".about") })
        return bench.area.place(directory.isEmpty ? name : directory + "/" + name)
    }

    func record(_ bench: UploadBench) throws -> String {
        bench.area.place(try #require(bench.partials().first { $0.hasSuffix(".about") }))
    }

    @Test(arguments: ["file", "a/file"])
    func anUploadGoesOnWhereItWas(path: String) throws {
        let bench = try begun(path)
        let again = try bench.restarted()
        #expect(again.store.cleaned == 0)
        #expect(again.store.uploads.map(\.received) == [500])
        #expect(again.store.uploads.map(\.path.text) == [path])
        // The space for the remaining bytes is still reserved.
        #expect(again.area.root.account.reserved == AreaUsage(bytes: Int64(content.count - 500), files: 0))
        for other in [try again.request("id", "other", content), try again.request("id", path, [1])] {
            #expect(try uploadError { _ = try again.store.begin(other) }?.code == .otherParameters)
        }
        #expect(try again.store.begin(again.request("id", path, content)) == 500)
        try again.send("id", content, from: 500)
        // What another run of the service has left is hashed again.
        #expect(try again.commit("id") == 2)
        #expect(try again.area.files.read(SandboxPath(path)) == content)
        #expect(again.area.root.account.reserved == AreaUsage())
        try again.expectExactAccount()
    }

    @Test func whatWasLeftIsHashedInSlices() throws {
        let size = 2 * (1 << 20) + 5
        let large = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let bench = try UploadBench()
        _ = try bench.store.begin(bench.request("id", "file", large))
        try bench.send("id", large, from: 0, piece: UploadStore.pieceLimit)
        let again = try bench.restarted()
        var done: [Int64] = []
        while case .hashing(let count, of: let all) = try again.store.commit("id") {
            done.append(count)
            #expect(all == Int64(size))
        }
        #expect(done == [1 << 20, 2 << 20, Int64(size)])
        #expect(try again.area.files.attributes(of: SandboxPath("file")).size == Int64(size))
    }

    @Test func bytesThatChangedMeanwhileAreNoticed() throws {
        let bench = try begun()
        var bytes = try SandboxListing.bytes(partial(bench))
        bytes[3] ^= 1
        let file = try FileDescriptor.open(FilePath(partial(bench)), .writeOnly)
        _ = try file.closeAfter { try file.writeAll(bytes) }
        let again = try bench.restarted()
        try again.send("id", content, from: again.store.begin(again.request("id", "file", content)))
        #expect(try uploadError { try again.commit("id") }?.code == .hashMismatch)
        #expect(try again.area.names().isEmpty)
    }

    @Test func theRecordIsReadWholeOrNotAtAll() throws {
        let bench = try begun()
        let whole = try SandboxListing.bytes(record(bench))
        #expect(whole.count == 1280)
        for index in stride(from: 0, to: whole.count, by: 7) {
            let damaged = try UploadBench(clocks: bench.clocks)
            _ = try damaged.store.begin(damaged.request("id", "file", content))
            var bytes = whole
            bytes[index] ^= 0x10
            try damaged.area.outside.write(
                String(decoding: bytes, as: UTF8.self), to: "area/" + FilePath(record(damaged)).lastComponent!.string)
            let again = try damaged.restarted()
            #expect(again.store.uploads.isEmpty, "byte \(index)")
            #expect(again.store.cleaned == 1)
            #expect(try again.area.names().isEmpty)
            try again.expectExactAccount()
        }
    }

    enum Damage: String, CaseIterable {
        case noRecord, noPartial, emptyRecord, cutRecord, longRecord, recordOfAnother, longPartial, linkedPartial
        case partialIsLink, partialIsFIFO, recordIsLink, recordIsFIFO
    }

    @Test(arguments: Damage.allCases)
    func whatIsDamagedIsRemovedAndNothingElse(damage: Damage) throws {
        let bench = try begun()
        _ = try bench.store.begin(bench.request("whole", "whole", content))
        try bench.area.outside.write("precious", to: "canary")
        let canary = bench.area.outside.appending("canary")
        let (partial, record) = (try self.partial(bench), try self.record(bench))
        func replace(_ path: String, with text: String) throws {
            try bench.area.outside.write(text, to: "area/" + FilePath(path).lastComponent!.string)
        }
        let text = try bench.area.outside.read("area/" + FilePath(record).lastComponent!.string)
        switch damage {
        case .noRecord: try SandboxListing.remove(record)
        case .noPartial: try SandboxListing.remove(partial)
        case .emptyRecord: try replace(record, with: "")
        case .cutRecord: try replace(record, with: String(text.prefix(900)))
        case .longRecord: try replace(record, with: text + "\n")
        case .recordOfAnother:
            try replace(record, with: text.replacing("id 6964\n", with: "id 6965\n"))
        case .longPartial: try replace(partial, with: String(repeating: "x", count: content.count + 1))
        case .linkedPartial: try SandboxListing.makeHardLink(bench.area.outside.appending("other"), to: partial)
        case .partialIsLink:
            try SandboxListing.remove(partial)
            try SandboxListing.makeLink(partial, to: canary)
        case .partialIsFIFO:
            try SandboxListing.remove(partial)
            try SandboxListing.makeFIFO(partial)
        case .recordIsLink:
            try SandboxListing.remove(record)
            try SandboxListing.makeLink(record, to: canary)
        case .recordIsFIFO:
            try SandboxListing.remove(record)
            try SandboxListing.makeFIFO(record)
        }
        let again = try bench.restarted()
        #expect(again.store.uploads.map(\.key) == ["whole"])
        #expect(again.store.cleaned == 1)
        #expect(try again.partials().count == 2)
        #expect(try bench.area.outside.read("canary") == "precious")
        try again.expectExactAccount()
        try again.put("id", "file", content)
    }

    @Test func directoriesUnderReservedNamesStay() throws {
        let bench = try UploadBench()
        try SandboxListing.makeDirectory(bench.area.place(".cleat-upload-0-6964"))
        let again = try bench.restarted()
        #expect(again.store.uploads.isEmpty)
        #expect(try again.area.names() == [".cleat-upload-0-6964"])
        #expect(try uploadError { _ = try again.store.begin(again.request("id", "file", [1])) }?.code == .files)
        try again.put("other", "file", [1])
    }

    @Test(arguments: [
        ".cleat-upload-", ".cleat-upload-6", ".cleat-upload-0-", ".cleat-upload-0-6", ".cleat-upload-0-6g",
        ".cleat-upload-00-6964", ".cleat-upload-4294967296-6964", ".cleat-upload--6964", ".cleat-upload-6964",
        ".cleat-upload-0-6964.other", ".cleat-x",
    ])
    func namesOfNoUploadStay(name: String) throws {
        let bench = try UploadBench()
        try bench.area.outside.write("x", to: "area/" + name)
        let again = try bench.restarted()
        #expect(again.store.cleaned == 0)
        #expect(try again.area.names() == [name])
    }

    @Test func aLostPartialFileEndsTheUpload() throws {
        for step in 0..<3 {
            let bench = try begun()
            try SandboxListing.remove(partial(bench))
            switch step {
            case 0: #expect(try uploadError { _ = try bench.store.write("id", at: 500, [1]) }?.code == .lost)
            case 1:
                // A new upload starts at offset 0.
                #expect(try bench.store.begin(bench.request("id", "file", content)) == 0)
                try bench.send("id", content, from: 0)
                try bench.commit("id")
                #expect(try bench.area.files.read(SandboxPath("file")) == content)
            default: try bench.store.abort("id")
            }
            #expect(bench.store.uploads.isEmpty)
            #expect(try bench.partials().isEmpty)
            #expect(bench.area.root.account.reserved == AreaUsage())
            try bench.expectExactAccount()
        }
    }

    @Test func anotherFileUnderItsNameIsNotTakenForIt() throws {
        let bench = try begun()
        let partial = try self.partial(bench)
        let bytes = try SandboxListing.bytes(partial)
        // The old one stays under another name, so that its number is not given to the new one.
        try SandboxListing.rename(partial, to: bench.area.place("kept"))
        try bench.area.outside.write(
            String(repeating: "x", count: bytes.count), to: "area/" + FilePath(partial).lastComponent!.string)
        #expect(try uploadError { _ = try bench.store.write("id", at: 500, [1]) }?.code == .lost)
        try bench.expectExactAccount()
    }

    @Test func aPartialFileThatAnotherProgramExtendedIsNotContinued() throws {
        let bench = try begun()
        let file = try FileDescriptor.open(FilePath(partial(bench)), .writeOnly, options: .append)
        _ = try file.closeAfter { try file.writeAll([1]) }
        #expect(try uploadError { _ = try bench.store.write("id", at: 500, [1]) }?.code == .lost)
        #expect(try bench.area.names().isEmpty)
        try bench.expectExactAccount()
    }

    @Test func anUploadFollowsItsDirectory() throws {
        let bench = try begun("a/file")
        try SandboxListing.rename(bench.area.place("a"), to: bench.area.place("b"))
        #expect(try uploadError { _ = try bench.store.write("id", at: 500, [1]) }?.code == .lost)
        // In its new place it goes on where it was, in this run of the service and in the next.
        let again = try bench.restarted()
        #expect(again.store.uploads.map(\.path.text) == ["b/file"])
        #expect(try bench.store.begin(bench.request("id", "b/file", content)) == 500)
        try bench.send("id", content, from: 500)
        try bench.commit("id")
        #expect(try bench.area.files.read(SandboxPath("b/file")) == content)
    }

    @Test func aDirectoryThatIsRemovedTakesTheUploadWithIt() throws {
        let bench = try begun("a/file")
        try SandboxListing.remove(partial(bench, "a"))
        try SandboxListing.remove(
            bench.area.place("a/" + #require(bench.partials("a").first)))
        try SandboxListing.removeDirectory(bench.area.place("a"))
        #expect(try uploadError { try bench.commit("id") }?.code == .incomplete)
        #expect(try uploadError { _ = try bench.store.write("id", at: 500, [1]) }?.code == .lost)
        #expect(
            try uploadError { _ = try bench.store.begin(bench.request("id", "a/file", content)) }?.cause?.code
                == .notFound)
        #expect(bench.area.root.account.reserved == AreaUsage())
        try bench.expectExactAccount()
    }

    @Test(arguments: ["directory", "link", "fifo"])
    func whatCannotBeReplacedIsNot(kind: String) throws {
        let bench = try begun()
        try bench.send("id", content, from: 500)
        let place = bench.area.place("file")
        switch kind {
        case "directory": try SandboxListing.makeDirectory(place)
        case "link": try SandboxListing.makeLink(place, to: bench.area.place("elsewhere"))
        default: try SandboxListing.makeFIFO(place)
        }
        let codes: [String: SandboxError.Code] = [
            "directory": .isDirectory, "link": .symbolicLink, "fifo": .specialFile,
        ]
        #expect(try uploadError { try bench.commit("id") }?.cause?.code == codes[kind])
        #expect(
            try uploadError { _ = try bench.store.begin(bench.request("other", "file", [])) }?.cause?.code
                == codes[kind])
        // The upload continues once there is space for it.
        if kind == "directory" { try SandboxListing.removeDirectory(place) } else { try SandboxListing.remove(place) }
        try bench.commit("id")
        #expect(try bench.area.files.read(SandboxPath("file")) == content)
        try bench.expectExactAccount()
    }

    @Test func theWholeSizeIsPromisedAtTheBeginning() throws {
        let record: Int64 = 1280
        let bench = try UploadBench(quota: Quota(bytes: 100_000 + 2 * record, files: 4))
        _ = try bench.store.begin(bench.request("a", "a", content))
        let refused = try uploadError { _ = try bench.store.begin(bench.request("b", "b", content)) }
        #expect(refused?.cause?.code == .quotaBytes)
        #expect(
            try code { try bench.area.files.write([UInt8](repeating: 0, count: 40_000), to: SandboxPath("x")) }
                == .quotaBytes)
        _ = try bench.store.begin(bench.request("c", "c", [1]))
        let files = try uploadError { _ = try bench.store.begin(bench.request("d", "d", [])) }
        #expect(files?.cause?.code == .quotaFiles)
        // So it is after a restart.
        let again = try bench.restarted(quota: Quota(bytes: 100_000 + 2 * record, files: 4))
        #expect(again.store.uploads.count == 2)
        #expect(
            try uploadError { _ = try again.store.begin(again.request("b", "b", content)) }?.cause?.code == .quotaBytes)
        try again.store.abort("c")
        try again.put("a", "a", content)
        try again.put("b", "b", [1, 2, 3])
        try again.expectExactAccount()
        // The quota is lower than the reservation: there is no space for the started upload.
        _ = try again.store.begin(again.request("e", "e", [UInt8](repeating: 1, count: 20_000)))
        let poor = try again.restarted(quota: Quota(bytes: 80_000, files: 10))
        #expect(poor.store.uploads.isEmpty)
        #expect(try poor.area.names() == ["a", "b"])
        try poor.expectExactAccount()
    }

    @Test func moreThanTheFileSystemHasIsRefusedAtTheBeginning() throws {
        let bench = try UploadBench()
        let huge = try UploadRequest(
            key: "id", path: SandboxPath("file"), size: .max, sha256: SHA256.hexadecimal(of: []))
        let cause = try uploadError { _ = try bench.store.begin(huge) }?.cause
        #expect(cause?.code == .noSpace)
        #expect(try bench.area.names().isEmpty)
        #expect(bench.area.root.account.reserved == AreaUsage())
    }

    @Test func anUploadExpiresADayAfterItsLastTouch() throws {
        let bench = try begun()
        bench.clocks.advance(milliseconds: 20 * TestClocks.hour)
        _ = try bench.store.write("id", at: 500, Array(content[500..<600]))
        bench.clocks.advance(milliseconds: UploadStore.lifetime - 1)
        #expect(try bench.store.expire() == 0)
        #expect(bench.store.uploads.map(\.idle) == [UploadStore.lifetime - 1])
        // The record knows of the last touch to the hour.
        #expect(try bench.restarted().store.uploads.map(\.received) == [600])
        bench.clocks.advance(milliseconds: 1)
        #expect(try bench.store.expire() == 1)
        #expect(try bench.area.names().isEmpty)
        #expect(bench.store.uploads.isEmpty)
        try bench.expectExactAccount()
    }

    @Test func anUploadThatExpiredWhileTheServiceWasDownIsRemovedAtItsStart() throws {
        let bench = try begun()
        bench.clocks.advance(milliseconds: UploadStore.lifetime)
        let again = try bench.restarted()
        #expect(again.store.uploads.isEmpty)
        #expect(again.store.cleaned == 1)
        #expect(try again.area.names().isEmpty)
    }

    @Test func aClockThatJumpsRemovesNothing() throws {
        // Within one boot the wall clock does not count, wherever it goes.
        let bench = try begun()
        for time: Int64 in [0, 4_000_000_000_000, .max, .min] {
            bench.clocks.set { $0.wallTime = time }
            #expect(try bench.store.expire() == 0)
            #expect(try bench.restarted().store.uploads.count == 1)
        }
        // In another boot it counts only where it was kept right at both ends.
        bench.clocks.set { $0 = UploadStamp(boot: BootID("other"), bootTime: 5, wallTime: .max, isSynchronised: false) }
        #expect(try bench.restarted().store.uploads.count == 1)
    }

    static let begin = UploadStamp(boot: BootID("a"), bootTime: 1000, wallTime: 50_000, isSynchronised: true)

    @Test(
        arguments: [
            (UploadStamp(boot: BootID("a"), bootTime: 4000, wallTime: 0, isSynchronised: true), 3000),
            (UploadStamp(boot: BootID("a"), bootTime: 500, wallTime: 90_000, isSynchronised: true), 0),
            (UploadStamp(boot: BootID("b"), bootTime: 70, wallTime: 90_000, isSynchronised: true), 40_000),
            (UploadStamp(boot: BootID("b"), bootTime: 70, wallTime: 90_000, isSynchronised: false), 70),
            (UploadStamp(boot: BootID("b"), bootTime: 70, wallTime: 20_000, isSynchronised: true), 70),
            (UploadStamp(boot: BootID("b"), bootTime: -5, wallTime: .min, isSynchronised: true), 0),
        ] as [(UploadStamp, Int64)])
    func theAgeIsWhatIsCertain(now: UploadStamp, age: Int64) {
        #expect(Self.begin.age(at: now) == age)
    }
}
