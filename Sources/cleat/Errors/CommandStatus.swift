/// What the process tells the one that started it.
struct CommandStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    /// All was done.
    static let success = CommandStatus(rawValue: 0)
    /// Something else failed.
    static let failure = CommandStatus(rawValue: 1)
    /// The change was undone.
    static let reverted = CommandStatus(rawValue: 10)
    /// The change could not be undone as a whole.
    static let revertFailed = CommandStatus(rawValue: 11)
    /// The command line is wrong (EX_USAGE).
    static let usage = CommandStatus(rawValue: 64)
    /// A value is invalid or a setting unknown (EX_DATAERR).
    static let invalid = CommandStatus(rawValue: 65)
    /// The service cannot be reached (EX_UNAVAILABLE).
    static let unavailable = CommandStatus(rawValue: 69)
    /// The settings are no longer what the change was made for (EX_TEMPFAIL).
    static let conflict = CommandStatus(rawValue: 75)
    /// The caller may not do this (EX_NOPERM).
    static let denied = CommandStatus(rawValue: 77)
}
