package import CleatIO
package import SystemPackage

/// Holds the directory of an area open: everything that the facade does begins here.
///
/// An area is opened once a process; a second opening would sweep what the first is about to write.
package struct AreaRoot: Sendable {
    /// Which area it is.
    package let area: Area
    /// The area's directory.
    package let directory: Descriptor
    /// What is known of the area's room.
    package let account: AreaAccount
    /// The way in which paths are opened.
    package let resolver: any PathResolver
    /// The system calls, which a test can make fail.
    package let calls: any SandboxCalls
    /// How many temporary files of cut-off writes, and records of what was added to files, were swept when it was opened.
    package let swept: Int

    /// Opens an area, makes its directory (0750) where it is missing, sweeps what cut-off writes have left, takes back
    /// what was added to files by half, and counts what it holds.
    ///
    /// - Parameters:
    ///   - directory: its place, which the configuration gives; links in it are followed.
    ///   - area: which area it is.
    ///   - quota: how much it may hold.
    ///   - resolver: the way in which paths are opened; nil for the best of this kernel.
    ///   - calls: the system calls, which a test can make fail.
    /// - Returns: the area.
    /// - Throws: why it could not be opened or counted.
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

    /// The room on the file system that the area is on.
    ///
    /// - Throws: why it could not be asked for.
    package func space() throws(SandboxError) -> FileSystemSpace {
        do throws(Errno) {
            return try calls.space(on: directory.descriptor)
        } catch {
            throw SandboxError(error, "measure the room of", area: area, path: "")
        }
    }
}
