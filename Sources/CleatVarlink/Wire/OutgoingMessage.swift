package import CleatJSON

/// Encodes messages for the wire, with their final NUL.
package enum OutgoingMessage {
    /// Encodes a reply.
    ///
    /// - Parameters:
    ///   - reply: the reply.
    ///   - continues: true if more replies follow.
    /// - Returns: the message.
    package static func reply(_ reply: consuming VarlinkReply, continues: Bool = false) -> [UInt8] {
        append(continues ? ",\"continues\":true}" : "}", to: &reply.text)
        reply.text.append(0)
        return reply.text
    }

    /// Returns the beginning of a reply, up to its parameters.
    static func beginningOfReply() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(192)
        append("{\"parameters\":", to: &bytes)
        return bytes
    }

    /// Encodes an error reply.
    package static func error(_ error: VarlinkError) -> [UInt8] {
        var bytes: [UInt8] = []
        append("{\"error\":", to: &bytes)
        JSONWriter.write(error.name, into: &bytes)
        append(",\"parameters\":", to: &bytes)
        JSONWriter.write(error.parameters, into: &bytes)
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
        return bytes
    }

    /// Encodes a call.
    package static func call(_ method: String, _ parameters: JSONObjectText, more: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        append("{\"method\":", to: &bytes)
        JSONWriter.write(method, into: &bytes)
        append(",\"parameters\":", to: &bytes)
        bytes += parameters.bytes
        if more { append(",\"more\":true", to: &bytes) }
        bytes.append(UInt8(ascii: "}"))
        bytes.append(0)
        return bytes
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
