package import CleatJSON

/// Answers the calls of one interface.
package protocol VarlinkService: Sendable {
    /// What the service answers.
    var interface: InterfaceDescription { get }

    /// Answers a call whose parameters fit the description and that the access rules let through.
    ///
    /// With `more`, what is returned is the last reply; those before it go through ``VarlinkCall/send(_:)``. The task is
    /// cancelled when the client of such a call is gone.
    ///
    /// - Throws: A ``VarlinkError``, which goes to the client; the server's `mapError` makes one of anything else.
    func answer(_ call: VarlinkCall) async throws -> JSONObject
}
