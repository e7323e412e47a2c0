import CleatAPI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ServiceSocket {
    /// Finds the socket for this process, as `cleat` does.
    static func path(option: String?) -> String {
        path(
            option: option, user: geteuid(),
            environment: { name in unsafe getenv(name).map { unsafe String(cString: $0) } },
            exists: { unsafe access($0, F_OK) == 0 })
    }
}
