package import CleatSettings

/// A command that runs when settings, or files of the same rules, have changed.
package struct CommandRule: Sendable, Hashable {
    /// The maximum number of elements of the command.
    static let arguments = 64
    /// The maximum number of bytes of one element.
    static let argumentBytes = 4_096
    /// The maximum run time in milliseconds.
    static let longestTime: Int64 = 600_000

    /// The settings and groups of which at least one must have changed.
    package let when: [SettingPath]
    /// The files of which at least one must have changed.
    package let files: [String]
    /// The command.
    package internal(set) var command: ActionCommand
    /// The reason why its effect needs a reboot, as the end of a sentence; nil if none is needed.
    package let reboot: String?
}
