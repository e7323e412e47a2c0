import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

@Suite(.tags(.board)) struct QuotaTests {
    @Test func bytesAreRefusedBeforeTheyAreWritten() throws {
        let area = try TestArea(quota: Quota(bytes: 10, files: 10))
        let paths = TextPaths(area.files)
        try paths.write("12345", to: "a")
        #expect(try code { try paths.write("123456", to: "b") } == .quotaBytes)
        #expect(try area.names() == ["a"])
        try paths.write("12345", to: "b")
        #expect(try code { try paths.append([1], to: "b") } == .quotaBytes)
        #expect(try paths.text(of: "b") == "12345")
        #expect(try code { try paths.write("1", to: "a") } == .quotaBytes, "both are on the disk until the rename")
        #expect(try paths.text(of: "a") == "12345")
        try paths.write("", to: "c")
        try paths.delete("b")
        try paths.write("1", to: "a")
        #expect(try area.root.account.usage() == AreaUsage(bytes: 1, files: 2))
        let error = try #require(throws: SandboxError.self) { try paths.write("1234567890", to: "d") }
        #expect(error.excess.map { [$0.used, $0.limit, $0.asked] } == [1, 10, 10], "\(error)")
    }

    @Test func filesAndDirectoriesAreRefusedBeforeTheyAreMade() throws {
        let area = try TestArea(quota: Quota(bytes: 100, files: 2))
        let paths = TextPaths(area.files)
        try paths.makeDirectory("a")
        try paths.write("1", to: "a/b")
        #expect(try code { try paths.write("1", to: "c") } == .quotaFiles)
        #expect(try code { try paths.makeDirectory("c") } == .quotaFiles)
        #expect(try code { try paths.append([1], to: "c") } == .quotaFiles)
        try paths.write("2", to: "a/b")
        #expect(try paths.text(of: "a/b") == "2")
        #expect(try area.names() == ["a"] && area.names("a") == ["b"])
        try paths.delete("a/b")
        try paths.write("1", to: "c")
    }

    @Test func aStreamStopsAtTheQuota() throws {
        let area = try TestArea(quota: Quota(bytes: 10, files: 10))
        let writer = try area.files.writer(SandboxPath("a"))
        try writer.write([UInt8](repeating: 1, count: 10))
        #expect(try code { try writer.write([1]) } == .quotaBytes)
        #expect(try area.names().isEmpty)
        #expect(try code { try writer.commit() } != nil)
        #expect(try area.root.account.usage() == AreaUsage())
        #expect(area.root.account.reserved == AreaUsage())
    }

    @Test func whatIsPromisedIsKept() throws {
        let area = try TestArea(quota: Quota(bytes: 10, files: 2))
        let account = area.root.account
        let reservation = try account.reserve(bytes: 6, files: 1)
        #expect(account.reserved == AreaUsage(bytes: 6, files: 1))
        #expect(try code { _ = try account.reserve(bytes: 5, files: 0) } == .quotaBytes)
        #expect(try code { _ = try account.reserve(bytes: 0, files: 2) } == .quotaFiles)
        #expect(try code { try area.files.write([1, 2, 3, 4, 5], to: SandboxPath("other")) } == .quotaBytes)
        try area.files.write([1, 2, 3, 4], to: SandboxPath("other"))
        do {
            let writer = try area.files.writer(SandboxPath("a"), reservation: reservation)
            try writer.write([1, 2, 3, 4])
            #expect(account.reserved == AreaUsage(bytes: 2, files: 1))
            try writer.write([5, 6])
            #expect(try code { try writer.write([7]) } == .quotaBytes)
        }
        #expect(reservation.space == AreaUsage() && account.reserved == AreaUsage())
        #expect(try account.usage() == AreaUsage(bytes: 4, files: 1))
        do { _ = try account.reserve(bytes: 1, files: 1) }
        #expect(account.reserved == AreaUsage())
        #expect(try code { _ = try account.reserve(bytes: .max, files: .max) } == .quotaBytes)
    }

    @Test func theAccountIsCountedWhenAnAreaIsOpened() throws {
        let outside = try TemporaryDirectory()
        let first = try TestArea(in: outside)
        try first.files.makeDirectory(SandboxPath("d"))
        try first.files.write([1, 2, 3], to: SandboxPath("d/file"))
        for name in [".cleat-write-1", "d/.cleat-write-2"] { try outside.write("left over", to: "area/" + name) }
        try outside.write("part", to: "area/d/.cleat-upload-00")
        let area = try TestArea(in: outside)
        #expect(area.root.swept == 2)
        #expect(try area.names() == ["d"] && area.names("d") == [".cleat-upload-00", "file"])
        #expect(try area.root.account.usage() == AreaUsage(bytes: 7, files: 3))
        #expect(area.root.account.recounts == 0)
    }

    @Test func whatOthersDoIsNoticed() throws {
        let area = try TestArea(quota: Quota(bytes: 20, files: 20))
        let paths = TextPaths(area.files)
        try paths.makeDirectory("d")
        try paths.write("12345", to: "d/a")
        // A file that comes into a directory in which the facade works.
        try area.outside.write("12345", to: "area/d/foreign")
        try SandboxListing.setTime(area.place("d"), seconds: 1_000_000_000)
        try paths.write("1", to: "d/b")
        #expect(try area.root.account.usage() == AreaUsage(bytes: 11, files: 4))
        // One that goes, before anything is refused for it.
        try SandboxListing.remove(area.place("d/foreign"))
        try paths.write("12345678901234", to: "c")
        #expect(try area.root.account.usage() == AreaUsage(bytes: 20, files: 4))
        // A file that has grown is noticed when that is reported, or when it is removed.
        try area.outside.write("1234567890", to: "area/d/b")
        area.root.account.recordForeignChange()
        #expect(try area.root.account.usage() == AreaUsage(bytes: 29, files: 4))
        try area.outside.write("", to: "area/d/b")
        #expect(try area.root.account.usage(recounting: true) == AreaUsage(bytes: 19, files: 4))
        try area.outside.write(String(repeating: "1", count: 100), to: "area/c")
        try paths.delete("c")
        #expect(try area.root.account.usage() == AreaUsage(bytes: 5, files: 3))
    }

    @Test func aLowerQuotaIsKeptToFromThenOn() throws {
        let area = try TestArea()
        let path = try SandboxPath("a")
        try area.files.write([1, 2, 3], to: path)
        area.root.account.quota = Quota(bytes: 2, files: 1)
        #expect(try code { try area.files.append([4], to: path) } == .quotaBytes)
        #expect(try area.files.read(path) == [1, 2, 3])
        try area.files.delete(path)
        try area.files.write([1, 2], to: path)
    }

    @Test func anAreaThatIsTooDeepIsReported() throws {
        let outside = try TemporaryDirectory()
        let area = try TestArea(in: outside)
        var path = area.directory.string
        for _ in 0..<200 {
            path += "/d"
            try SandboxListing.makeDirectory(path)
        }
        let error = try #require(throws: SandboxError.self) { _ = try TestArea(in: outside) }
        #expect(error.code == .tooMany)
    }

    @Test func theFreeSpaceOfTheFileSystemIsReported() throws {
        let space = try TestArea().root.space()
        #expect(space.total > 0 && space.available > 0 && space.available <= space.total && !space.isReadOnly)
    }

    @Test func aRefusalNamesWhatIsUsedTheLimitAndWhatWasAskedFor() throws {
        let area = try TestArea(quota: Quota(bytes: 10, files: 2))
        let paths = TextPaths(area.files)
        try paths.write("123", to: "a")
        let reservation = try area.root.account.reserve(bytes: 4, files: 1)
        let bytes = try #require(throws: SandboxError.self) { try paths.append([1, 2, 3, 4, 5], to: "a") }
        #expect(bytes.excess.map { [$0.used, $0.limit, $0.asked] } == [7, 10, 5])
        #expect(bytes.code == .quotaBytes && bytes.path == "a")
        // Needed, free, the limit, and kept for uploads.
        #expect(Self.numbers(in: bytes) == [5, 3, 10, 4], "\(bytes)")
        let files = try #require(throws: SandboxError.self) { try paths.makeDirectory("d") }
        #expect(files.excess.map { [$0.used, $0.limit, $0.asked] } == [2, 2, 1])
        #expect(files.code == .quotaFiles && files.path == "d")
        #expect(Self.numbers(in: files) == [1, 0, 2, 1], "\(files)")
        reservation.release()
        try paths.makeDirectory("d")
    }

    private static func numbers(in error: SandboxError) -> [Int] {
        (error.detail ?? "").split { !$0.isNumber }.compactMap { Int($0) }
    }
}
