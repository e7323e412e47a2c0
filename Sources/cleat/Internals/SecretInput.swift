import CLinux

/// Turns the echo of the terminal off and on.
enum SecretInput {
    /// Turns the echo of standard input off; does nothing if that is not a terminal. tcsetattr(3)
    static func begin() { clinux_cli_hide_input() }

    /// Turns the echo on again.
    static func end() { clinux_cli_show_input() }
}
