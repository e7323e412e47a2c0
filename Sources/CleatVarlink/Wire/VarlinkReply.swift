package import CleatJSON

/// A reply of a service, as its text.
package struct VarlinkReply: Sendable, ExpressibleByDictionaryLiteral {
    /// The message up to the end of the parameters.
    var text: [UInt8]

    /// The number of bytes of the message if it is the last reply, without its NUL.
    package var size: Int { text.count + 1 }

    /// Writes the parameters of a reply.
    package init(_ parameters: some JSONObjectWritable) {
        var text = JSONObjectText(after: OutgoingMessage.beginningOfReply())
        parameters.write(to: &text)
        self.text = text.bytes
    }

    /// Writes parameters with different keys.
    package init(dictionaryLiteral parameters: (String, JSONValue)...) { self.init(JSONObject(parameters)) }

    /// The parameters, read from the text.
    package var parameters: JSONObject {
        get throws(JSONError) {
            let bytes = text.dropFirst(OutgoingMessage.beginningOfReply().count)
            return try JSONReader.read(bytes, limits: .unlimited).objectValue ?? JSONObject()
        }
    }
}
