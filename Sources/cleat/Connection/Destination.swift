/// The service that a command connects to.
enum Destination: Hashable, Sendable {
    /// The service at a socket on this machine.
    case local(socket: String)
    /// A service that the command starts itself, for the system below a directory (an absolute path).
    case root(String)
    /// The service on a remote board.
    case remote(RemoteAccess)
}
