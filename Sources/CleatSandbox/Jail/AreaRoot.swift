package import CleatIO
package import SystemPackage

/// An area's open directory, on which all operations of the facade are based.
///
/// An area is opened once in a process; opening it again would sweep files that the first instance is writing.
package struct AreaRoot: Sendable {
    /// The area.
    package let area: Area
    /// The area's directory.
    package let directory: Descriptor
    /// The account of the area's used and reserved space.
    package let account: AreaAccount
    /// The resolver that opens paths.
    package let resolver: any PathResolver
    /// The system calls, which a test can make fail.
    package let calls: any SandboxCalls
    /// The number of files that were swept when the area was opened: temporary files of interrupted writes, and append
    /// records.
    package let swept: Int

    /// Opens an area: makes its directory (0750) if it is missing, sweeps the temporary files of interrupted writes,
    /// reverts interrupted appends, and counts its contents.
    ///
    /// - Parameters:
    ///   - directory: The path of the directory, from the configuration; links in it are followed.
    ///   - area: The area.
    ///   - quota: The limits of the area.
    ///   - resolver: The resolver that opens paths; nil for the best one on this kernel.
    ///   - calls: The system calls, which a test can make fail.
    /// - Returns: The area.
    /// - Throws: The reason why it could not be opened or counted.
    package static func open(
        _ directory: FilePath, area: Area, quota: Quota = .unlimited, resolver: (any PathResolver)? = nil,
        calls: any SandboxCalls = SystemFileCalls()
    ) throws(SandboxError) -> AreaRoot {
        let opened: Descriptor
        do throws(Errno) {
            opened = Descriptor(owning: try AreaDirectory.open(directory))
        } catch {
            throw SandboxError(error, "open the directory \(directory.string) of", area: area, path: "")
        }
        let count: AreaCount
        do throws(Errno) {
            count = try AreaCount(opened, sweeps: true, calls: calls)
        } catch {
            throw SandboxError(counting: error, area: area)
        }
        let ledger = AreaLedger(area: area, quota: quota, count: count, directory: opened, calls: calls)
        return AreaRoot(
            area: area, directory: opened, account: AreaAccount(ledger), resolver: resolver ?? Resolvers.best,
            calls: calls, swept: count.swept)
    }

    /// Returns the space of the file system that contains the area.
    ///
    /// - Throws: The reason why it could not be read.
    package func space() throws(SandboxError) -> FileSystemSpace {
        do throws(Errno) {
            return try calls.space(on: directory.descriptor)
        } catch {
            throw SandboxError(error, "measure the free space of", area: area, path: "")
        }
    }
}
