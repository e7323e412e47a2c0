import CleatJSON
import CleatTestSupport
import Testing

@testable import CleatStore

/// A header of a write-ahead log is valid when its checksum matches.
@Suite struct LogHeaderTests {
    @Test func theHeaderThatSQLiteWritesIsValidAndNoneWithAFlippedBitIs() throws {
        let directory = try TemporaryDirectory()
        let store = try StoreFile(directory: directory.path, stamp: stamp, limits: smallLimits)
        try store.set(("a", 1))
        let head = Array(try bytes(directory.appending("settings.db-wal")).prefix(LogHeader.size))
        #expect(LogHeader.isValid(head))
        for bit in 0..<LogHeader.size * 8 {
            var flipped = head
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!LogHeader.isValid(flipped), "bit \(bit)")
        }
    }

    @Test func fewerBytesOrZeroesAreNoHeader() {
        #expect(!LogHeader.isValid([]))
        #expect(!LogHeader.isValid([UInt8](repeating: 0, count: LogHeader.size)))
        #expect(!LogHeader.isValid([0x37, 0x7F, 0x06, 0x82]))
    }
}
