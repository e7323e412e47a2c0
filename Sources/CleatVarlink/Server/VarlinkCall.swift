package import CleatIO
package import CleatJSON

/// A call to be answered by a service.
package struct VarlinkCall: Sendable {
    /// The interface's name.
    package let interface: String
    /// The method's name without the interface.
    package let method: String
    /// The parameters, validated against the interface's description.
    package let parameters: JSONObject
    /// True if the client accepts more than one reply.
    package let more: Bool
    /// True if the client wants no reply; a returned value or an error is dropped.
    package let oneway: Bool
    /// The process of the caller; its rights follow from `identity`.
    package let peer: PeerCredentials
    /// The identity of the caller.
    package let identity: ClientIdentity
    /// The findings about the client, for all calls of the connection.
    package let memo: ConnectionMemo
    let sink: ServerConnection
    let serial: UInt64

    /// Sends a reply that is not the last one, and waits until the connection has space for it.
    ///
    /// - Throws: ``VarlinkSendError`` if the client is disconnected, did not ask for more, the call is over, or the
    ///   reply is too long; `CancellationError` if the task is cancelled while it waits.
    package func send(_ reply: consuming VarlinkReply) async throws {
        guard more else { throw VarlinkSendError(.notStreaming) }
        try await sink.send(reply, serial: serial)
    }

    /// Throws if the client is disconnected, so that a service stops long work whose reply no client would read.
    ///
    /// A client that has ended only its own half of the connection can still read.
    ///
    /// - Throws: ``VarlinkSendError`` with ``VarlinkSendError/Code/disconnected``.
    package func requireClient() throws(VarlinkSendError) {
        if sink.isClosed { throw VarlinkSendError(.disconnected) }
    }

    /// Proves another identity for the calls that follow on the connection, by the method of an ``Authenticator``.
    package func authenticate(_ method: String, _ credential: String) throws(AuthenticationError) -> ClientIdentity {
        try sink.authenticate(method, credential, serial: serial)
    }

    /// Closes the connection at once, without a reply.
    package func disconnect() { sink.disconnect(serial: serial) }
}

/// The reason why a reply could not be sent.
package struct VarlinkSendError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the error.
    package enum Code: Sendable {
        /// The connection is closed.
        case disconnected
        /// The last reply was sent already.
        case callEnded
        /// The client asked for one reply.
        case notStreaming
        /// The reply exceeds the maximum length of a message.
        case tooLarge
    }

    /// The kind of the error.
    package let code: Code

    /// Creates an error.
    package init(_ code: Code) { self.code = code }

    /// The error as a clause.
    package var description: String {
        switch code {
        case .disconnected: "the client disconnected"
        case .callEnded: "the call has had its last reply"
        case .notStreaming: "the client did not ask for more than one reply"
        case .tooLarge: "the reply is longer than a message may be: send it in pages"
        }
    }
}
