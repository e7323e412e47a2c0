package import CleatSettings

/// A command that is run when settings, or files of the same rules, have changed.
package struct CommandRule: Sendable, Hashable {
    /// The most elements of the command.
    static let arguments = 64
    /// The most bytes of one.
    static let argumentBytes = 4_096
    /// The longest that it may run, in milliseconds.
    static let longestTime: Int64 = 600_000

    /// The settings and groups of which one must have changed.
    package let when: [SettingPath]
    /// The files of which one must have changed.
    package let files: [String]
    /// What is run.
    package internal(set) var command: ActionCommand
    /// Why what it does only counts after a reboot, as the end of a sentence; nil where it counts at once.
    package let reboot: String?
}
