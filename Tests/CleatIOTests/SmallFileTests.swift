import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@Suite("Small files")
struct SmallFileTests {
    @Test("are read whole, and up to the limit", arguments: [0, 1, 16_384, 40_000, 40_001, 50_000])
    func limit(_ limit: Int) throws {
        let directory = try TemporaryDirectory()
        let text = String(repeating: "x", count: 40_000)
        try directory.write(text, to: "file")
        #expect(try SmallFile.read(directory.path.appending("file"), upTo: limit).count == min(limit, 40_000))
    }

    @Test("that are missing are an error")
    func missing() throws {
        let directory = try TemporaryDirectory()
        #expect(throws: Errno.noSuchFileOrDirectory) { try SmallFile.read(directory.path.appending("file"), upTo: 1) }
    }

    @Test("Calls that return parts are collected, and an error ends the collection")
    func parts() throws {
        var calls = 0
        let bytes = try unsafe SmallFile.collect(upTo: 10) { buffer throws(Errno) in
            calls += 1
            return min(3, buffer.count)
        }
        #expect(bytes.count == 10 && calls == 4)
        do throws(Errno) {
            _ = try unsafe SmallFile.collect(upTo: 10) { _ throws(Errno) in throw .ioError }
            Issue.record("the error is missing")
        } catch {
            #expect(error == .ioError)
        }
    }
}
