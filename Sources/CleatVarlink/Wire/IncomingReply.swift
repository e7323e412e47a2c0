package import CleatJSON

/// A reply as it came over the wire.
package struct IncomingReply: Sendable, Hashable {
    /// What the reply holds, or the error.
    package let parameters: JSONObject
    /// Whether another reply follows.
    package let continues: Bool
    /// The error that the reply is, if it is one.
    package let error: VarlinkError?

    /// Reads a reply.
    ///
    /// Members that Varlink does not know are passed over: the service may be younger than its client.
    ///
    /// - Parameters:
    ///   - message: The message without its NUL.
    ///   - limits: How long and how deep it may be.
    /// - Returns: The reply, be it an error or not.
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
