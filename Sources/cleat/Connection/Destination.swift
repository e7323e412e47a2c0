/// The service that a command speaks to.
enum Destination: Hashable, Sendable {
    /// The one on this machine, at a socket.
    case local(socket: String)
    /// One of the command's own, for the system below a directory, an absolute path.
    case root(String)
    /// The one on a far board.
    case remote(RemoteAccess)
}
