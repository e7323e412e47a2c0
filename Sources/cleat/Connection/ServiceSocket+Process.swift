import CleatAPI

extension ServiceSocket {
    /// Finds the socket for this process.
    static func path(option: String?) -> String {
        // Most callers name it: then nothing has to be asked of the system.
        if let named = option ?? Process.environment(variable), !named.isEmpty { return named }
        return path(
            option: option, user: Process.effectiveUser, environment: Process.environment, exists: Process.exists)
    }
}
