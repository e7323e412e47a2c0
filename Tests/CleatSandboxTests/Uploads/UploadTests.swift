import CleatHash
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Uploads that nothing happens to, and clients that do not keep to the rules.
@Suite(.tags(.board)) struct UploadTests {
    let content: [UInt8]

    init() {
        var random = SeededGenerator(seed: 11)
        content = random.bytes(70_000)
    }

    @Test(arguments: ResolverKind.available, ["file", "a/b/file"])
    func aFileIsSeenWhenItIsCommittedAndNotBefore(kind: ResolverKind, path: String) throws {
        let bench = try UploadBench(kind)
        try SandboxListing.makeDirectory(bench.area.place("a"))
        try SandboxListing.makeDirectory(bench.area.place("a/b"))
        bench.area.root.account.recordForeignChange()
        let target = try SandboxPath(path)
        #expect(try bench.store.begin(bench.request("id", path, content)) == 0)
        #expect(try !bench.area.files.exists(target))
        try bench.send("id", content, from: 0, piece: 30_000)
        #expect(try !bench.area.files.exists(target))
        #expect(try bench.area.root.account.usage().bytes == Int64(content.count + 1280))
        #expect(try bench.commit("id") == 1)
        #expect(try bench.area.files.read(target) == content)
        #expect(try SandboxListing.status(bench.area.place(path)).mode == 0o640)
        #expect(try bench.partials(target.parent.text).isEmpty)
        #expect(bench.store.uploads.isEmpty)
        #expect(bench.area.root.account.reserved == AreaUsage())
        try bench.expectExactAccount()
    }

    @Test func anEmptyFileNeedsNoWrite() throws {
        let bench = try UploadBench()
        try bench.put("id", "file", [])
        #expect(try bench.area.files.read(SandboxPath("file")).isEmpty)
        try bench.expectExactAccount()
    }

    @Test func aReplacedFileKeepsItsPermissionsAndIsWholeUntilThen() throws {
        let bench = try UploadBench()
        let path = try SandboxPath("file")
        try bench.area.files.write([1, 2, 3], to: path, permissions: [.ownerReadWrite, .otherRead])
        _ = try bench.store.begin(bench.request("id", "file", content))
        try bench.send("id", content, from: 0)
        #expect(try bench.area.files.read(path) == [1, 2, 3])
        try bench.commit("id")
        #expect(try bench.area.files.read(path) == content)
        #expect(try SandboxListing.status(bench.area.place("file")).mode == 0o604)
        try bench.expectExactAccount()
    }

    @Test func repeatedBytesAndGapsAreReportedWithTheOffsetThatIsExpected() throws {
        let bench = try UploadBench()
        _ = try bench.store.begin(bench.request("id", "file", content))
        #expect(try bench.store.write("id", at: 0, Array(content[..<1000])) == 1000)
        for offset: Int64 in [0, 999, 1001, 70_000, -1, .max, .min] {
            let error = try uploadError { _ = try bench.store.write("id", at: offset, [1]) }
            #expect(error?.code == .offset)
            #expect(error?.expected == 1000)
        }
        #expect(try bench.store.write("id", at: 1000, []) == 1000)
        try bench.send("id", content, from: 1000)
        try bench.commit("id")
        #expect(try bench.area.files.read(SandboxPath("file")) == content)
    }

    @Test func moreThanWasAnnouncedIsRefused() throws {
        let bench = try UploadBench()
        _ = try bench.store.begin(bench.request("id", "file", [1, 2, 3]))
        #expect(try uploadError { _ = try bench.store.write("id", at: 0, [1, 2, 3, 4]) }?.code == .beyondEnd)
        let large = [UInt8](repeating: 0, count: UploadStore.pieceLimit + 1)
        #expect(try uploadError { _ = try bench.store.write("id", at: 0, large) }?.code == .pieceTooLarge)
        #expect(try bench.store.write("id", at: 0, [1, 2, 3]) == 3)
        #expect(try uploadError { _ = try bench.store.write("id", at: 3, [4]) }?.code == .beyondEnd)
        try bench.commit("id")
    }

    @Test func theLargestPieceIsTaken() throws {
        let bench = try UploadBench()
        let large = [UInt8](repeating: 7, count: UploadStore.pieceLimit)
        try bench.put("id", "file", large, piece: large.count)
        #expect(try bench.area.files.read(SandboxPath("file")) == large)
    }

    @Test func whatIsNotCompleteIsNotCommitted() throws {
        let bench = try UploadBench()
        _ = try bench.store.begin(bench.request("id", "file", content))
        _ = try bench.store.write("id", at: 0, [content[0]])
        let error = try uploadError { _ = try bench.store.commit("id") }
        #expect(error?.code == .incomplete)
        #expect(error?.expected == 1)
        try bench.send("id", content, from: 1)
        try bench.commit("id")
    }

    @Test func otherBytesThanAnnouncedAreThrownAway() throws {
        let bench = try UploadBench()
        let path = try SandboxPath("file")
        try bench.area.files.write([9], to: path)
        var wrong = content
        wrong[40_000] ^= 1
        _ = try bench.store.begin(bench.request("id", "file", content))
        try bench.send("id", wrong, from: 0)
        let error = try uploadError { try bench.commit("id") }
        #expect(error?.code == .hashMismatch)
        #expect(error?.hashes?.announced == SHA256.hexadecimal(of: content))
        #expect(error?.hashes?.arrived == SHA256.hexadecimal(of: wrong))
        #expect(try bench.area.files.read(path) == [9])
        #expect(try bench.partials().isEmpty)
        #expect(try uploadError { try bench.commit("id") }?.code == .unknown)
        #expect(bench.area.root.account.reserved == AreaUsage())
        try bench.expectExactAccount()
        try bench.put("id", "file", content)
    }

    @Test func anUploadIsStartedAgainWithTheSameParametersOnly() throws {
        let bench = try UploadBench()
        _ = try bench.store.begin(bench.request("id", "file", content))
        _ = try bench.store.write("id", at: 0, Array(content[..<500]))
        #expect(try bench.store.begin(bench.request("id", "file", content)) == 500)
        for other in [
            try bench.request("id", "other", content), try bench.request("id", "file", content + [1]),
            try bench.request("id", "file", Array(content.reversed())),
        ] {
            #expect(try uploadError { _ = try bench.store.begin(other) }?.code == .otherParameters)
        }
        #expect(bench.store.uploads.map(\.received) == [500])
        try bench.send("id", content, from: 500)
        try bench.commit("id")
    }

    @Test func aCommitWhoseAnswerWasLostCanBeRepeated() throws {
        let bench = try UploadBench()
        try bench.put("id", "file", content)
        #expect(try bench.store.commit("id") == .complete)
        // Started again, it is another upload.
        #expect(try bench.store.begin(bench.request("id", "file", content)) == 0)
        #expect(try uploadError { _ = try bench.store.commit("id") }?.code == .incomplete)
    }

    @Test func anAbortLeavesNothing() throws {
        let bench = try UploadBench()
        _ = try bench.store.begin(bench.request("id", "file", content))
        _ = try bench.store.write("id", at: 0, Array(content[..<500]))
        try bench.store.abort("id")
        #expect(try bench.area.names().isEmpty)
        #expect(bench.area.root.account.reserved == AreaUsage())
        try bench.expectExactAccount()
        #expect(try uploadError { try bench.store.abort("id") }?.code == .unknown)
        #expect(try uploadError { _ = try bench.store.write("id", at: 500, [1]) }?.code == .unknown)
        #expect(try uploadError { _ = try bench.store.commit("id") }?.code == .unknown)
    }

    @Test func theLastOfTwoUploadsOfOneFileStays() throws {
        let bench = try UploadBench()
        let other = Array(content.reversed())
        _ = try bench.store.begin(bench.request("a", "file", content))
        _ = try bench.store.begin(bench.request("b", "file", other))
        try bench.send("a", content, from: 0)
        try bench.send("b", other, from: 0)
        try bench.commit("b")
        #expect(try bench.area.files.read(SandboxPath("file")) == other)
        try bench.commit("a")
        #expect(try bench.area.files.read(SandboxPath("file")) == content)
        #expect(try bench.area.names() == ["file"])
        try bench.expectExactAccount()
    }

    @Test(arguments: ["", String(repeating: "i", count: 65)])
    func idsOfOtherLengthsAreRefused(id: String) throws {
        #expect(
            try uploadError {
                _ = try UploadRequest(
                    key: UploadKey(owner: 0, id: id), path: SandboxPath("file"), size: 0,
                    sha256: SHA256.hexadecimal(of: []))
            }?.code == .badID)
    }

    @Test(arguments: [
        "../../etc", "a/b", "\u{1b}[31m\n\0", ".", "é", String(repeating: "i", count: 64), ".cleat-upload-",
    ])
    func anIdMayBeAnyText(text: String) throws {
        let id = UploadKey(owner: 0, id: text)
        let bench = try UploadBench()
        _ = try bench.store.begin(bench.request(id, "file", content))
        let again = try bench.restarted()
        #expect(again.store.uploads.map(\.key) == [id])
        #expect(try again.area.names().allSatisfy { $0.hasPrefix(".cleat-upload-") })
        let error = try uploadError { _ = try again.store.write(id, at: 3, [1]) }
        #expect(error?.description.unicodeScalars.contains { $0.properties.generalCategory == .control } == false)
        try again.put(id, "file", content)
        #expect(try again.area.names() == ["file"])
    }

    @Test func sizesAndHashesAreChecked() throws {
        let path = try SandboxPath("file")
        let hash = SHA256.hexadecimal(of: [])
        #expect(
            try uploadError { _ = try UploadRequest(key: "a", path: path, size: -1, sha256: hash) }?.code == .badSize)
        for bad in ["", "00", String(hash.dropLast()), hash + "0", String(hash.dropLast()) + "x"] {
            #expect(
                try uploadError { _ = try UploadRequest(key: "a", path: path, size: 0, sha256: bad) }?.code == .badHash)
        }
        #expect(
            try uploadError { _ = try UploadRequest(key: "a", path: .root, size: 0, sha256: hash) }?.cause?.code
                == .isDirectory)
    }

    /// Seen before: an operator who began an upload under the id that `file put` makes kept root from sending the file.
    @Test(.tags(.fault)) func everyUserHasIdsOfItsOwn() throws {
        let bench = try UploadBench()
        let theirs = UploadKey(owner: 1000, id: "id")
        _ = try bench.store.begin(bench.request(theirs, "file", [9, 9]))
        _ = try bench.store.begin(bench.request("id", "file", content))
        try bench.send("id", content, from: 0)
        #expect(try bench.store.write(theirs, at: 0, [9]) == 1)
        #expect(bench.store.uploads.map(\.key).sorted { $0.owner < $1.owner } == ["id", theirs])
        let nobodys = UploadKey(owner: 1001, id: "id")
        #expect(try uploadError { _ = try bench.store.write(nobodys, at: 0, [1]) }?.code == .unknown)
        #expect(try uploadError { _ = try bench.store.commit(nobodys) }?.code == .unknown)
        #expect(try uploadError { try bench.store.abort(nobodys) }?.code == .unknown)
        try bench.commit("id")
        #expect(try bench.area.files.read(SandboxPath("file")) == content)
        #expect(bench.log.find(theirs) == nil && bench.log.find("id") != nil)
        // Each is found again with its user.
        let again = try bench.restarted()
        #expect(again.store.uploads.map(\.key) == [theirs])
        try again.send(theirs, [9, 9], from: 1)
        try again.commit(theirs)
        #expect(again.log.find(theirs)?.size == 2 && again.log.find("id")?.size == Int64(content.count))
        try again.expectExactAccount()
    }

    @Test(.tags(.fault)) func someUploadsAreKeptForRoot() throws {
        let bench = try UploadBench()
        for number in 0..<(UploadStore.uploadsLimit - UploadStore.reservedUploads) {
            _ = try bench.store.begin(bench.request(.init(owner: 1000, id: "\(number)"), "f\(number)", [1]))
        }
        let more = try bench.request(.init(owner: 1001, id: "more"), "f", [1])
        #expect(try uploadError { _ = try bench.store.begin(more) }?.code == .tooMany)
        for number in 0..<UploadStore.reservedUploads {
            _ = try bench.store.begin(bench.request("root-\(number)", "r\(number)", [1]))
        }
        #expect(try uploadError { _ = try bench.store.begin(bench.request("r", "f", [1])) }?.code == .tooMany)
    }

    @Test func noMoreThanSixtyFourBeginAtATime() throws {
        let bench = try UploadBench()
        for number in 0..<UploadStore.uploadsLimit {
            _ = try bench.store.begin(bench.request("id-\(number)", "file-\(number)", [1]))
        }
        let ids = bench.store.uploads.map(\.key.id)
        #expect(ids == ids.sorted() && ids.count == 64)
        #expect(try uploadError { _ = try bench.store.begin(bench.request("one-more", "f", [1])) }?.code == .tooMany)
        #expect(try bench.store.begin(bench.request("id-3", "file-3", [1])) == 0)
        try bench.store.abort("id-3")
        _ = try bench.store.begin(bench.request("one-more", "f", [1]))
        // An expired upload releases its space by itself.
        bench.clocks.advance(milliseconds: UploadStore.lifetime)
        _ = try bench.store.begin(bench.request("late", "late", [1]))
        #expect(bench.store.uploads.map(\.key) == ["late"])
        try bench.expectExactAccount()
    }

    @Test func oneUploadIsWrittenByOneAtATime() async throws {
        let bench = try UploadBench()
        var random = SeededGenerator(seed: 5)
        let long = random.bytes(40_000)
        _ = try bench.store.begin(bench.request("id", "file", long))
        let store = bench.store
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var offset: Int64 = 0
                    while offset < long.count {
                        do throws(UploadError) {
                            offset = try store.write("id", at: offset, Array(long[Int(offset)...].prefix(100)))
                        } catch {
                            #expect(error.code == .offset || error.code == .busy)
                            offset = error.expected ?? offset
                        }
                    }
                }
            }
        }
        try bench.commit("id")
        #expect(try bench.area.files.read(SandboxPath("file")) == long)
        try bench.expectExactAccount()
    }
}
