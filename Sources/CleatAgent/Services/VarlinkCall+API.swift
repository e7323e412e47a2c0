import CleatAPI
import CleatIO
import CleatJSON
import CleatVarlink

extension VarlinkCall {
    /// Decodes the parameters of a method.
    func parameters<Method: APIMethod>(of method: Method.Type) throws -> Method.Parameters {
        do {
            return try Method.Parameters(wire: parameters)
        } catch {
            throw VarlinkError.invalidParameter(error.member)
        }
    }

    /// Sends one of several replies.
    func send(reply: some WireValue) async throws {
        try await send(reply.wire)
    }

    /// The calling user, with the address that its SSH session claims.
    var author: Author { Author(identity, claim: claimedAddress) }

    /// The address that the caller's SSH session claims to come from; nil if there is none.
    var claimedAddress: String? { CallerRoute.session(ofProcess: peer.pid)?.client }

    /// Throws if the call does not have the flag `more`.
    func requireMore() throws(APIError) {
        guard more else {
            throw .notStreaming(
                message: "\(interface).\(method) sends replies until its caller disconnects: call it with more")
        }
    }
}
