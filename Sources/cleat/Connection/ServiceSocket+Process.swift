import CleatAPI

extension ServiceSocket {
    /// Returns the path of the service's socket for this process.
    static func path(option: String?) -> String {
        // Most callers name it; that avoids the system calls of the search.
        if let named = option ?? Process.environment(variable), !named.isEmpty { return named }
        return path(
            option: option, user: Process.effectiveUser, environment: Process.environment, exists: Process.exists)
    }
}
