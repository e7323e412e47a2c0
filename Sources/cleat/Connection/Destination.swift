/// The service that a command speaks to.
enum Destination: Hashable, Sendable {
    /// The one on this machine, at a socket.
    case local(socket: String)
    /// The one on a far board.
    case remote(RemoteAccess)
}
