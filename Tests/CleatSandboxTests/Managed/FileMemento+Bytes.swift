import CleatIO
import CleatSandbox

extension FileMemento {
    /// The memento as bytes, without the hash of the memento that holds it.
    var encoded: [UInt8] {
        var writer = ByteWriter()
        encode(into: &writer)
        return writer.bytes
    }

    /// Reads all of the bytes.
    init(encoded bytes: [UInt8]) throws(MalformedBytes) {
        var reader = ByteReader(bytes)
        self = try FileMemento(from: &reader)
        try reader.finish()
    }
}
