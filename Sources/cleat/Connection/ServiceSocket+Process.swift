import CleatAPI

extension ServiceSocket {
    /// Finds the socket for this process.
    static func path(option: String?) -> String {
        path(option: option, user: Process.effectiveUser, environment: Process.environment, exists: Process.exists)
    }
}
