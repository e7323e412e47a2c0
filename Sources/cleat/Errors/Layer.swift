/// The layer at which a command failed, from the command line to the system.
enum Layer: String, Sendable, CaseIterable {
    /// The command line itself.
    case usage
    /// The name of the far board.
    case resolve
    /// The way to the service.
    case connect
    /// Who the caller is, as the far board sees it.
    case authenticate
    /// The relay on the far board.
    case start
    /// The conversation with the service.
    case speak
    /// What the caller may do.
    case authorise
    /// What the schema and the history allow.
    case validate
    /// The store.
    case store
    /// The files of the board.
    case files
    /// The caller's own files.
    case local
    /// The system that should follow the settings, or a hook.
    case apply
    /// A change on trial.
    case confirm
    /// What was asked for is not there.
    case lookup
    /// The command's own output.
    case output
}
