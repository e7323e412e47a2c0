/// The exit status of the process.
struct CommandStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    /// The command succeeded.
    static let success = CommandStatus(rawValue: 0)
    /// Any other failure.
    static let failure = CommandStatus(rawValue: 1)
    /// The change was undone.
    static let reverted = CommandStatus(rawValue: 10)
    /// The change could not be undone completely.
    static let revertFailed = CommandStatus(rawValue: 11)
    /// The command line is wrong (EX_USAGE).
    static let usage = CommandStatus(rawValue: 64)
    /// A value is invalid or a setting is unknown (EX_DATAERR).
    static let invalid = CommandStatus(rawValue: 65)
    /// The service cannot be reached (EX_UNAVAILABLE).
    static let unavailable = CommandStatus(rawValue: 69)
    /// The settings have changed since the change was prepared (EX_TEMPFAIL).
    static let conflict = CommandStatus(rawValue: 75)
    /// The caller lacks the permission (EX_NOPERM).
    static let denied = CommandStatus(rawValue: 77)
}
