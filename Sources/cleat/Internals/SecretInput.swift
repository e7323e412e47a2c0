import CLinux

/// Keeps a terminal from showing what is typed.
enum SecretInput {
    /// Turns the echo of standard input off; nothing happens where that is no terminal. tcsetattr(3)
    static func begin() { clinux_cli_hide_input() }

    /// Turns it on again.
    static func end() { clinux_cli_show_input() }
}
