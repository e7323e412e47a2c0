package import CleatJSON

/// A reply as it was received.
package struct IncomingReply: Sendable, Equatable {
    /// The parameters of the reply or of the error.
    package let parameters: JSONObject
    /// True if another reply follows.
    package let continues: Bool
    /// The error, if the reply is one.
    package let error: VarlinkError?

    /// Decodes a reply.
    ///
    /// Members that Varlink does not define are ignored: the service may be newer than its client.
    ///
    /// - Parameters:
    ///   - message: The message without its NUL.
    ///   - limits: The maximum length and depth of the message.
    /// - Returns: The reply, which may be an error.
    /// - Throws: ``VarlinkClientError`` with the code `protocolViolation`.
    package static func decode(_ message: ArraySlice<UInt8>, limits: VarlinkLimits) throws(VarlinkClientError)
        -> IncomingReply
    {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(message, limits: IncomingCall.jsonLimits(limits))
        } catch {
            throw VarlinkClientError(.protocolViolation, "the reply is not JSON: \(error)")
        }
        guard case .object(let object) = value else {
            throw VarlinkClientError(.protocolViolation, "the reply is not an object")
        }
        let parameters: JSONObject
        switch object["parameters"] {
        case nil, .null: parameters = JSONObject()
        case .object(let members): parameters = members
        default: throw VarlinkClientError(.protocolViolation, "the reply's 'parameters' are not an object")
        }
        let continues: Bool
        switch object["continues"] {
        case nil, .null: continues = false
        case .bool(let flag): continues = flag
        default: throw VarlinkClientError(.protocolViolation, "the reply's 'continues' is not true or false")
        }
        switch object["error"] {
        case nil, .null: return IncomingReply(parameters: parameters, continues: continues, error: nil)
        case .string(let name):
            return IncomingReply(parameters: parameters, continues: false, error: VarlinkError(name, parameters))
        default: throw VarlinkClientError(.protocolViolation, "the reply's 'error' is not a string")
        }
    }
}
