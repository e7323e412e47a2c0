/// The layer at which a command failed, from the command line to the system.
enum Layer: String, Sendable, CaseIterable {
    /// Parsing the command line.
    case usage
    /// Resolving the name of the remote board.
    case resolve
    /// Connecting to the service.
    case connect
    /// Authenticating the caller to the remote board, and the board's host key.
    case authenticate
    /// Starting the relay on the remote board, or a service of the command's own.
    case start
    /// Exchanging messages with the service.
    case speak
    /// Checking the caller's permissions.
    case authorise
    /// Checking the request against the schema and the history.
    case validate
    /// Reading or writing the store.
    case store
    /// Accessing the board's files.
    case files
    /// Accessing the caller's own files.
    case local
    /// Applying the settings to the system, or running a hook.
    case apply
    /// Confirming or undoing a change on trial.
    case confirm
    /// Finding an object: it does not exist.
    case lookup
    /// Writing the command's own output.
    case output
}
