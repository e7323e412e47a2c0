#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The search path of Python's packages, from the environment of the test run.
var pythonPath: String? {
    guard let value = unsafe getenv("PYTHONPATH") else { return nil }
    return unsafe String(cString: value)
}
