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
        return try open(opened, area: area, quota: quota, resolver: resolver, calls: calls)
    }

    /// Opens a directory of the program's own as an area, for the returned value alone.
    ///
    /// A missing directory is made (0750). A link in its place is not followed. The directory is refused if all users
    /// may write to it, if it belongs to another user, and while it is open elsewhere, in this process or in another
    /// one: flock(2). Errors have no area; the returned one is `documents`.
    package static func openOwn(_ directory: FilePath, quota: Quota = .unlimited) throws(SandboxError) -> AreaRoot {
        let calls = SystemFileCalls()
        let opened: Descriptor
        let attributes: FileAttributes
        do throws(Errno) {
            opened = Descriptor(owning: try AreaDirectory.open(directory, followsLink: false))
            attributes = try calls.attributes(of: opened.descriptor)
            try calls.lock(opened.descriptor)
        } catch {
            throw SandboxError(
                error, "open", area: nil, path: "",
                detail: error == .wouldBlock ? "it is open already, in this program or another; close it there" : nil)
        }
        let user = ProcessSelf.uid
        var fault: String?
        if ![0, user].contains(attributes.owner.user) {
            fault = "it belongs to user \(attributes.owner.user); chown it to user \(user)"
        } else if attributes.permissions & 0o002 != 0 {
            fault = "all users may write to it; use a directory of the program's own (chmod o-w)"
        }
        if let fault { throw SandboxError(.shared, "open", area: nil, path: "", detail: fault) }
        return try open(opened, area: .documents, quota: quota, resolver: nil, calls: calls)
    }

    private static func open(
        _ opened: Descriptor, area: Area, quota: Quota, resolver: (any PathResolver)?, calls: any SandboxCalls
    ) throws(SandboxError) -> AreaRoot {
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
