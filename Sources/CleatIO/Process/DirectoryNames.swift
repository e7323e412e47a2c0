package import SystemPackage

/// The names in a directory.
package enum DirectoryNames {
    /// The limit of a list in bytes.
    private static let limit = 1 << 20

    /// Lists the names in a directory, without `.` and `..`.
    ///
    /// - Parameter path: The directory.
    /// - Returns: The names, in no order; none if there is no such directory.
    /// - Throws: The error of open(2) or getdents64(2).
    package static func list(_ path: String) throws(Errno) -> [String] {
        let directory: Descriptor
        do throws(Errno) {
            directory = Descriptor(owning: try Kernel.openForReading(path))
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return [] }
            throw error
        }
        return try DirectoryCalls.list(directory.rawValue, byteLimit: limit)
    }
}
