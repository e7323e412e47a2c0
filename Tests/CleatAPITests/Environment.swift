#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Where Python looks for packages, as the test run was told.
var pythonPath: String? {
    guard let value = unsafe getenv("PYTHONPATH") else { return nil }
    return unsafe String(cString: value)
}
