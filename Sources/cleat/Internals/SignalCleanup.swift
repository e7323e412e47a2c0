import CLinux
import SystemPackage

/// Removes files if a signal ends the process.
enum SignalCleanup {
    /// Removes a file if a signal ends the process.
    static func removeWhenEnded(_ name: String, in directory: FileDescriptor) {
        unsafe clinux_cli_remove_when_ended(directory.rawValue, name)
    }

    /// Cancels the removal.
    static func removeNothingWhenEnded() {
        clinux_cli_remove_when_ended(-1, nil)
    }

    /// Removes a file and its directory if a signal ends the process; if the file holds changes, prints its path
    /// instead.
    static func clearWhenEnded(_ name: String, in directory: FileDescriptor, at path: String) {
        unsafe clinux_cli_clear_when_ended(
            directory.rawValue, name, path, "\ncleat: a signal ended it; your text is kept in \(path)/\(name)\n")
    }

    /// Marks whether that file holds the user's changes: true if it does; false if it does once its content differs
    /// from the present one, unless it was marked true before; nil if it does not.
    static func markWork(_ holdsWork: Bool?) {
        switch holdsWork {
        case true?: clinux_cli_mark_work(1)
        case false?: clinux_cli_mark_work(0)
        case nil: clinux_cli_mark_work(-1)
        }
    }

    /// Cancels the removal when a signal ends the process.
    static func clearNothingWhenEnded() { clinux_cli_clear_when_ended(-1, nil, nil, nil) }
}

/// Turns the echo of the terminal off and on.
enum SecretInput {
    /// Turns the echo of standard input off; does nothing if that is not a terminal. tcsetattr(3)
    static func begin() { clinux_cli_hide_input() }

    /// Turns the echo on again.
    static func end() { clinux_cli_show_input() }
}
