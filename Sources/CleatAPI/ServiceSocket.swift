package import CleatIO
package import CleatJSON

/// The path of the service's socket on this machine, and the token for it.
package enum ServiceSocket {
    /// The environment variable with the path of the socket.
    package static let variable = "CLEAT_SOCKET"
    /// The environment variable with the path of a file whose token the process proves its identity with.
    package static let tokenVariable = "CLEAT_TOKEN_FILE"
    /// The path of the socket of a service that runs as root.
    package static let systemPath = "/run/cleat/socket"

    /// Returns the parameters of the call that proves the token of the process; nil if the variable is not set.
    ///
    /// - Throws: `TrustError` if the file cannot be read, or users besides this one and root could have read or written it.
    package static func authentication(_ environment: (String) -> String?) throws(TrustError) -> JSONObject? {
        guard let path = environment(tokenVariable), !path.isEmpty else { return nil }
        let bytes = try TrustPolicy(user: ProcessSelf.uid).contents(of: path, limit: 1_024, for: .secret)
        let token = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return ["method": "token", "credential": .string(token)]
    }

    /// Returns the path of the socket: that of the option, else of the variable, else of the system service if it
    /// exists or the caller is root, else of the user's own service.
    package static func path(
        option: String?, user: UInt32, environment: (String) -> String?, exists: (String) -> Bool
    ) -> String {
        func variable(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        if let option { return option }
        if let named = variable(Self.variable) { return named }
        if user == 0 || exists(systemPath) { return systemPath }
        // Relative paths are ignored, as the XDG Base Directory Specification requires; the service ignores them, too.
        func directory(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        if let runtime = directory("XDG_RUNTIME_DIR") { return "\(runtime)/cleat/socket" }
        if let state = directory("XDG_STATE_HOME") { return "\(state)/cleat/run/socket" }
        if let home = directory("HOME") { return "\(home)/.local/state/cleat/run/socket" }
        return systemPath
    }
}
