import CleatTestSupport
import Testing

@testable import CleatIO

@Suite("stamps of files")
struct FileStampTests {
    /// A stamp of a file whose content and attributes changed so many milliseconds after a full second.
    private static func stamp(changed: Int64, modified: Int64 = 0) -> FileStamp {
        FileStamp(
            device: 1, inode: 2, size: 3, modified: (1_000_000 + modified) * 1_000_000,
            changed: (1_000_000 + changed) * 1_000_000)
    }

    @Test(
        "a file is settled once no later write can have the same times: two seconds, or a tenth where fractions are kept",
        arguments: [
            (0, 0, 2_000, false), (0, 0, 2_001, true), (0, -5_000, 2_000, false), (0, 1_000, 2_001, false),
            (0, 1_000, 3_001, true), (4, 0, 104, false), (4, 0, 105, true), (4, 4, 105, true), (4, 2_000, 2_100, false),
            (4, 2_000, 2_101, true), (4, 0, -60_000, false), (0, 0, -60_000, false),
        ] as [(Int64, Int64, Int64, Bool)])
    func settled(changed: Int64, modified: Int64, now: Int64, isSettled: Bool) {
        #expect(Self.stamp(changed: changed, modified: modified).isSettled(at: 1_000_000 + now) == isSettled)
    }

    @Test("a file that is written again and again has another stamp each time once the former one is settled")
    func written() async throws {
        let directory = try TemporaryDirectory()
        var former: FileStamp?
        for round in 0..<8 {
            try directory.write("\(round)", to: "file")
            let stamp = try #require(FileStamp(directory.appending("file")))
            #expect(stamp != former)
            former = stamp
            #expect(try await eventually { stamp.isSettled(at: WallTime.now().milliseconds) })
        }
    }
}
