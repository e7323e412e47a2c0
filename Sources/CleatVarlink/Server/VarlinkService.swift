/// A service that answers the calls of one interface.
package protocol VarlinkService: Sendable {
    /// The description of the interface.
    var interface: InterfaceDescription { get }

    /// Answers a call whose parameters are valid and which the access rules allow.
    ///
    /// With `more`, the returned value is the last reply; the service sends those before it with
    /// ``VarlinkCall/send(_:)``. The task is cancelled when the client of such a call has hung up.
    ///
    /// - Throws: A ``VarlinkError``, which is sent to the client; the server's `mapError` converts any other error.
    func answer(_ call: VarlinkCall) async throws -> VarlinkReply
}
