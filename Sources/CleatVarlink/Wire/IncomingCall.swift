package import CleatJSON

/// A call as it was received.
package struct IncomingCall: Sendable, Equatable {
    /// The method with its interface.
    package let method: String
    /// The parameters of the method.
    package let parameters: JSONObject
    /// True if the client accepts more than one reply.
    package let more: Bool
    /// True if the client wants no reply.
    package let oneway: Bool

    /// The result of decoding a message.
    package enum Decoded: Sendable, Equatable {
        /// A call.
        case call(IncomingCall)
        /// A call that cannot be served; a `oneway` one gets no error reply.
        case refused(VarlinkError, oneway: Bool)
        /// Not a call: there is nothing to answer.
        case malformed(String)
    }

    /// Decodes a message.
    ///
    /// Members that Varlink does not define are refused by name, as unknown parameters are: a client that relies on one
    /// must not believe that it was used. A member that is null counts as missing.
    package static func decode(_ message: ArraySlice<UInt8>, limits: VarlinkLimits) -> Decoded {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(message, limits: jsonLimits(limits))
        } catch {
            return .malformed("not JSON: \(error)")
        }
        guard case .object(let object) = value else { return .malformed("a message is an object") }
        return decode(object)
    }

    static func jsonLimits(_ limits: VarlinkLimits) -> JSONLimits {
        var json = JSONLimits.standard
        json.depth = limits.depth
        json.size = limits.message
        json.stringBytes = min(json.stringBytes, limits.message)
        return json
    }

    private static func decode(_ object: JSONObject) -> Decoded {
        var method: String?
        var parameters = JSONObject()
        var more = false
        var oneway = false
        var upgrade = false
        var unknown: String?
        for (key, value) in object {
            switch (key, value) {
            case ("method", .string(let text)): method = text
            case ("parameters", .object(let members)): parameters = members
            case ("more", .bool(let flag)): more = flag
            case ("oneway", .bool(let flag)): oneway = flag
            case ("upgrade", .bool(let flag)): upgrade = flag
            case ("parameters", .null), ("more", .null), ("oneway", .null), ("upgrade", .null): break
            case ("method", _): return .malformed("'method' is not a string")
            case ("parameters", _): return .malformed("'parameters' is not an object")
            case ("more", _), ("oneway", _), ("upgrade", _): return .malformed("'\(key)' is not true or false")
            default: if unknown == nil { unknown = key }
            }
        }
        guard let method else { return .malformed("a call has no 'method'") }
        if let unknown { return .refused(.invalidParameter(unknown), oneway: oneway) }
        if upgrade { return .refused(.invalidParameter("upgrade"), oneway: oneway) }
        if more, oneway { return .refused(.invalidParameter("oneway"), oneway: true) }
        return .call(IncomingCall(method: method, parameters: parameters, more: more, oneway: oneway))
    }
}
