#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The file that this process runs.
func executablePath(_ buffer: inout [UInt8]) -> String {
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return 0 }
        return unsafe readlink("/proc/self/exe", base.assumingMemoryBound(to: CChar.self), bytes.count)
    }
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
}
