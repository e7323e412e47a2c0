package import CleatIO
package import CleatJSON

/// A call that a service answers.
package struct VarlinkCall: Sendable {
    /// The interface's name.
    package let interface: String
    /// The method's name without the interface.
    package let method: String
    /// What the call says; checked against the interface's description.
    package let parameters: JSONObject
    /// Whether the client takes more than one reply.
    package let more: Bool
    /// Whether the client wants no reply; what is returned or thrown is dropped.
    package let oneway: Bool
    /// Who calls.
    package let peer: PeerCredentials
    private let sink: any VarlinkReplySink
    private let serial: UInt64

    /// Makes a call.
    ///
    /// A sink of one's own drives a service without a server.
    package init(
        interface: String, method: String, parameters: JSONObject, more: Bool = false, oneway: Bool = false,
        peer: PeerCredentials, sink: any VarlinkReplySink, serial: UInt64 = 0
    ) {
        self.interface = interface
        self.method = method
        self.parameters = parameters
        self.more = more
        self.oneway = oneway
        self.peer = peer
        self.sink = sink
        self.serial = serial
    }

    /// Sends a reply that others follow, and waits until the connection has room for it.
    ///
    /// - Throws: ``VarlinkSendError`` where the client is gone, did not ask for more, or the call is over;
    ///   `CancellationError` where the task is cancelled while it waits.
    package func send(_ parameters: JSONObject) async throws {
        guard more else { throw VarlinkSendError(.notStreaming) }
        try await sink.send(parameters, serial: serial)
    }

    /// Refuses to go on with long work whose reply nobody would read.
    ///
    /// A client that has ended only its own half of the connection still reads.
    ///
    /// - Throws: ``VarlinkSendError`` with ``VarlinkSendError/Code/disconnected``.
    package func requireClient() throws(VarlinkSendError) {
        if sink.isClosed { throw VarlinkSendError(.disconnected) }
    }

    /// Closes the connection at once, without a reply.
    package func disconnect() { sink.disconnect(serial: serial) }
}

/// Takes the replies of a call that come before the last.
package protocol VarlinkReplySink: Sendable {
    /// Sends a reply that others follow.
    func send(_ parameters: JSONObject, serial: UInt64) async throws
    /// Closes the connection.
    func disconnect(serial: UInt64)
    /// Whether the client has closed the connection.
    var isClosed: Bool { get }
}

/// Says why a reply could not be sent.
package struct VarlinkSendError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is in the way.
    package struct Code: Sendable, Hashable {
        private enum Kind { case disconnected, callEnded, notStreaming, tooLarge }
        private let kind: Kind

        /// The connection is closed.
        package static let disconnected = Code(kind: .disconnected)
        /// The last reply was sent already.
        package static let callEnded = Code(kind: .callEnded)
        /// The client asked for one reply.
        package static let notStreaming = Code(kind: .notStreaming)
        /// The reply is longer than a message may be.
        package static let tooLarge = Code(kind: .tooLarge)
    }

    /// What is in the way.
    package let code: Code

    /// Makes an error.
    package init(_ code: Code) { self.code = code }

    /// One sentence.
    package var description: String {
        switch code {
        case .disconnected: "the client is gone"
        case .callEnded: "the call has had its last reply"
        case .notStreaming: "the client did not ask for more than one reply"
        default: "the reply is longer than a message may be: send it in pages"
        }
    }
}
