internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Reads small system files as a whole.
enum SmallFile {
    /// Reads at most `limit` bytes as text.
    static func text(_ path: String, limit: Int) throws(Errno) -> String {
        let file = Descriptor(owning: try Kernel.openForReading(path))
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let room = min(limit - bytes.count, 16384)
            let result = unsafe withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) {
                buffer -> Result<Int, Errno> in
                do throws(Errno) {
                    let count = unsafe try Kernel.read(file.rawValue, into: buffer) ?? 0
                    unsafe bytes.append(contentsOf: buffer[..<count])
                    return .success(count)
                } catch {
                    return .failure(error)
                }
            }
            if try result.get() == 0 { break }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The process's own environment.
package enum Environment {
    /// Returns a variable's value; nil if it is not set.
    package static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
