import CleatAPI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ServiceSocket {
    /// Returns the path of the service's socket, found as `cleat` finds it.
    static func path(option: String?) -> String {
        path(
            option: option, user: geteuid(),
            environment: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
            exists: { unsafe access($0, F_OK) == 0 })
    }
}

extension SettingKeys {
    /// Ends the program with an exit status.
    static func endProgram(_ status: Int32) -> Never { exit(status) }
}
