import CleatIO
import Testing

struct ByteReaderTests {
    @Test("numbers, fields and texts are read back from their bytes")
    func bytesAndBack() throws {
        var writer = ByteWriter(Array("mark".utf8))
        writer.number(UInt8.max)
        writer.number(UInt16(0x0102))
        writer.number(UInt64.max - 1)
        writer.field([])
        writer.field([0, 255])
        writer.text("ünïcode")
        writer.write([7, 8])
        var reader = ByteReader(writer.bytes.dropFirst(4))
        #expect(try reader.number(UInt8.self) == .max)
        #expect(try reader.number(UInt16.self) == 0x0102)
        #expect(try reader.number(UInt64.self, upTo: .max - 1) == .max - 1)
        #expect(try reader.field().isEmpty)
        #expect(try reader.field(upTo: 2).elementsEqual([0, 255]))
        #expect(try reader.text(upTo: 9) == "ünïcode")
        #expect(throws: MalformedBytes.self) { try reader.finish() }
        #expect(try reader.bytes(2).elementsEqual([7, 8]))
        try reader.finish()
        #expect(reader.isAtEnd)
    }

    @Test(
        "a truncated input, or one that exceeds a limit, is refused",
        arguments: [[], [0], [0, 0, 0], [0, 0, 0, 4, 1, 2, 3], [255, 255, 255, 255], [0, 0, 0, 2, 0xC3, 0x28]])
    func hostile(bytes: [UInt8]) {
        #expect(throws: MalformedBytes.self) {
            var reader = ByteReader(bytes)
            _ = try reader.text(upTo: .max)
        }
    }

    @Test("a limit is checked before anything is read")
    func limits() {
        #expect(throws: MalformedBytes.self) {
            var reader = ByteReader([0, 0, 0, 2, 1, 2])
            _ = try reader.field(upTo: 1)
        }
        #expect(throws: MalformedBytes.self) {
            var reader = ByteReader([0x10, 0x00])
            _ = try reader.number(UInt16.self, upTo: 0x0FFF)
        }
    }
}
