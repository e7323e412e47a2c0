import CleatAPI
import CleatIO
import CleatJSON
import CleatVarlink

extension VarlinkCall {
    /// Decodes the parameters of a method.
    func parameters<Method: APIMethod>(of method: Method.Type) throws -> Method.Parameters {
        do {
            return try JSONValue.object(parameters).decode(Method.Parameters.self)
        } catch {
            throw VarlinkError.invalidParameter(error.pointer.joined(separator: "."))
        }
    }

    /// Decodes the parameters of the most frequent calls, without the detour through `Codable`.
    func wire<Parameters: WireValue>(_: Parameters.Type) throws -> Parameters {
        do {
            return try Parameters(wire: parameters)
        } catch {
            throw VarlinkError.invalidParameter(error.member)
        }
    }

    /// Sends one of several replies.
    func send<Reply: Encodable>(reply: Reply) async throws {
        try await send(JSONObject(encoding: reply))
    }

    /// The calling user.
    var author: Author { Author(user: peer.uid) }

    /// Throws if the call does not have the flag `more`.
    func requireMore() throws(APIError) {
        guard more else {
            throw .notStreaming(
                message: "\(interface).\(method) goes on for as long as its caller listens: call it with more")
        }
    }
}

extension JSONObject {
    /// Creates the object of a reply.
    init(encoding reply: some Encodable) throws {
        self = try JSONValue(encoding: reply).objectValue ?? [:]
    }
}
