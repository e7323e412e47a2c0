import CleatAPI
import CleatIO
import CleatJSON
import CleatVarlink

extension WireValue {
    /// The value as a reply.
    var reply: VarlinkReply { VarlinkReply(self) }
}

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
        try await send(reply.reply)
    }

    /// Sends one of many replies that are ready at once; the requests of others are answered before the next one.
    func send(page: some WireValue, on loop: EventLoop) async throws {
        try await send(page.reply)
        await loop.yield()
    }

    /// The calling user, with the address that its SSH session claims.
    var author: Author { Author(identity, claim: claimedAddress) }

    /// The address that the caller's SSH session claims to come from; nil if there is none.
    var claimedAddress: String? { session?.client }

    /// The SSH session that the caller's process belongs to; nil if there is none.
    var session: CallerRoute.Session? { memo.value { CallerRoute.session(ofProcess: peer.pid) } }

    /// Throws if the call does not have the flag `more`.
    func requireMore() throws(APIError) {
        guard more else {
            throw .notStreaming(
                message: "\(interface).\(method) sends replies until its caller disconnects: call it with more")
        }
    }
}
