import CleatHash
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of the records of committed uploads.
@Suite struct CommitLogTests {
    private let content = Array("content".utf8)

    private func bench() throws -> (UploadBench, FaultyFileCalls) {
        let calls = FaultyFileCalls()
        calls.flushes = false
        return (try UploadBench(calls: calls), calls)
    }

    private func place(_ bench: UploadBench) -> String { bench.area.outside.appending("log/" + CommitLog.name) }

    @Test func aCommitIsRememberedForADayAlsoAfterARestart() throws {
        let (bench, _) = try bench()
        try bench.put("one", "a file", content)
        try bench.put("other", "file", [])
        #expect(bench.log.find("none") == nil)
        for after in [bench, try bench.restarted()] {
            let found = try #require(after.log.find("one"))
            #expect(found.key == "one" && found.area == .documents && found.path.text == "a file" && found.size == 7)
            #expect(SHA256.hexadecimal(found.sha256) == SHA256.hexadecimal(of: content))
            #expect(after.log.find("other")?.size == 0)
        }
        bench.clocks.advance(milliseconds: UploadStore.lifetime - 1)
        #expect(try bench.restarted().log.find("one") != nil)
        bench.clocks.advance(milliseconds: 1)
        #expect(bench.log.find("one") == nil)
        #expect(try bench.restarted().log.find("one") == nil)
    }

    @Test func theLongestIdsAndPathsAreRemembered() throws {
        let (bench, _) = try bench()
        let directory = (0..<3).map { _ in String(repeating: "ä", count: 127) }.joined(separator: "/")
        try TextPaths(bench.area.files).makeDirectory(directory, withParents: true)
        let path = directory + "/" + String(repeating: "f", count: 255)
        let id = UploadKey(owner: .max, id: String(repeating: "i", count: UploadKey.idLimit))
        try bench.put(id, path, content)
        #expect(try bench.restarted().log.find(id)?.path.text == path)
    }

    @Test func theLastCommitUnderAnIdCountsUntilItIsForgotten() throws {
        let (bench, _) = try bench()
        try bench.put("id", "file", content)
        try bench.put("id", "other", [1, 2])
        #expect(bench.log.find("id")?.path.text == "other")
        let after = try bench.restarted()
        #expect(after.log.find("id")?.path.text == "other")
        after.log.forget("id")
        #expect(after.log.find("id") == nil)
    }

    @Test func itIsBounded() throws {
        let (bench, _) = try bench()
        let count = 3 * CommitLog.entriesLimit + 5
        for number in 0..<count {
            try bench.put("id-\(number)", "file", [UInt8(number % 256)])
            let size = try SandboxListing.bytes(place(bench)).count
            #expect(size > 0 && size <= 2 * CommitLog.entriesLimit * 2048)
        }
        for log in [bench.log, try bench.restarted().log] {
            let remembered = (0..<count).filter { log.find("id-\($0)") != nil }
            #expect(remembered == Array((count - CommitLog.entriesLimit)..<count))
        }
        #expect(try SandboxListing.names(bench.area.outside.appending("log")) == [CommitLog.name])
    }

    @Test(arguments: [1, 100, 2047, 2048, 2049, 4095])
    func afterAPowerCutTheWholeRecordsCount(length: Int) throws {
        let (bench, _) = try bench()
        for id in ["a", "b"] { try bench.put("\(id)", id, content) }
        let whole = try SandboxListing.bytes(place(bench))
        #expect(whole.count == 4096)
        let file = try FileDescriptor.open(FilePath(place(bench)), .readWrite)
        try file.resize(to: Int64(length))
        try file.close()
        let after = try bench.restarted()
        #expect((after.log.find("a") != nil) == (length >= 2048))
        #expect(after.log.find("b") == nil)
        // What is noted after that is found.
        try after.put("c", "c", content)
        try after.put("d", "d", content)
        let log = try after.restarted().log
        #expect(log.find("c") != nil && log.find("d") != nil)
        #expect((log.find("a") != nil) == (length >= 2048))
    }

    @Test(arguments: 0..<40)
    func aRecordThatIsDamagedIsLeftOut(seed: UInt64) throws {
        let (bench, _) = try bench()
        for id in ["a", "b", "c"] { try bench.put("\(id)", id, content) }
        var bytes = try SandboxListing.bytes(place(bench))
        var random = SeededGenerator(seed: seed)
        // In the part of a record that is not padding.
        bytes[2048 + Int.random(in: 0..<300, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        let file = try FileDescriptor.open(FilePath(place(bench)), .writeOnly)
        _ = try file.closeAfter { try file.writeAll(bytes) }
        let log = try bench.restarted().log
        #expect(log.find("a") != nil && log.find("b") == nil && log.find("c") != nil)
    }

    @Test func whatIsNoFileInItsPlaceIsRefusedAndNotTouched() throws {
        let outside = try TemporaryDirectory()
        try outside.write("precious", to: "canary")
        try SandboxListing.makeDirectory(outside.appending("log"))
        let place = outside.appending("log/" + CommitLog.name)
        try SandboxListing.makeLink(place, to: "../canary")
        #expect(try code { _ = try CommitLog(in: outside.path.appending("log")) } == .symbolicLink)
        try SandboxListing.remove(place)
        try SandboxListing.makeFIFO(place)
        #expect(try code { _ = try CommitLog(in: outside.path.appending("log")) } == .specialFile)
        try SandboxListing.remove(place)
        try SandboxListing.makeDirectory(place)
        #expect(try code { _ = try CommitLog(in: outside.path.appending("log")) } == .isDirectory)
        #expect(try outside.read("canary") == "precious")
    }

    /// If the record cannot be written, the file is not put in place: a repeated request would be answered as unknown.
    @Test func withoutANoteNothingIsCommitted() throws {
        let (bench, calls) = try bench()
        try bench.put("first", "first", content)
        _ = try bench.store.begin(bench.request("id", "file", content))
        try bench.send("id", content, from: 0)
        calls.set(.every(.write, .noSpace))
        #expect(try uploadError { try bench.commit("id") }?.cause?.code == .noSpace)
        #expect(try !bench.area.files.exists(SandboxPath("file")))
        calls.set(.never)
        try bench.commit("id")
        #expect(try bench.area.files.read(SandboxPath("file")) == content)
        let after = try bench.restarted()
        #expect(after.log.find("id") != nil && after.log.find("first") != nil)
    }
}
