import CleatAPI
import CleatIO
import CleatJSON
import CleatVarlink

extension VarlinkCall {
    /// Reads the parameters of a method.
    func parameters<Method: APIMethod>(of method: Method.Type) throws -> Method.Parameters {
        do {
            return try JSONValue.object(parameters).decode(Method.Parameters.self)
        } catch {
            throw VarlinkError.invalidParameter(error.pointer.joined(separator: "."))
        }
    }

    /// Reads the parameters of the calls that programs make most, without the detour through `Codable`.
    func wire<Parameters: WireValue>(_: Parameters.Type) throws -> Parameters {
        do {
            return try Parameters(wire: parameters)
        } catch {
            throw VarlinkError.invalidParameter(error.member)
        }
    }

    /// Sends one reply of several.
    func send<Reply: Encodable>(reply: Reply) async throws {
        try await send(JSONObject(encoding: reply))
    }

    /// The user who calls.
    var author: Author { Author(user: peer.uid) }

    /// Refuses a call that has to say `more`.
    func requireMore() throws(APIError) {
        guard more else {
            throw .notStreaming(
                message: "\(interface).\(method) goes on for as long as its caller listens: call it with more")
        }
    }
}

extension JSONObject {
    /// Makes the object of a reply.
    init(encoding reply: some Encodable) throws {
        self = try JSONValue(encoding: reply).objectValue ?? [:]
    }
}
