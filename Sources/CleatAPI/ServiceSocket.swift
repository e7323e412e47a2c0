/// Where the service listens on this machine.
package enum ServiceSocket {
    /// The variable that names the socket.
    package static let variable = "CLEAT_SOCKET"
    /// The socket of a service that runs as root.
    package static let systemPath = "/run/cleat/socket"

    /// Finds the socket: what the option names, else what the variable names, else the system's where it exists or the
    /// caller is root, else the user's own.
    package static func path(
        option: String?, user: UInt32, environment: (String) -> String?, exists: (String) -> Bool
    ) -> String {
        func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        if let option { return option }
        if let named = variable(Self.variable) { return named }
        if user == 0 || exists(systemPath) { return systemPath }
        // The service, too, passes over what is not absolute, as the XDG Base Directory Specification has it.
        func directory(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let runtime = directory("XDG_RUNTIME_DIR") { return "\(runtime)/cleat/socket" }
        if let state = directory("XDG_STATE_HOME") { return "\(state)/cleat/run/socket" }
        if let home = directory("HOME") { return "\(home)/.local/state/cleat/run/socket" }
        return systemPath
    }
}
