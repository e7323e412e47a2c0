package import SystemPackage

/// Walks a path name by name with `O_NOFOLLOW`, for kernels without `openat2`.
///
/// A mount is detected by its device number, so a mount of the same file system (a bind mount) is not detected.
package struct WalkingResolver: PathResolver {
    /// The resolver's name.
    package var name: String { "walk" }

    /// Makes the resolver.
    package init() {}

    /// Opens a path.
    package func open(
        _ path: SandboxPath, beneath directory: FileDescriptor, for purpose: OpenPurpose, calls: any SandboxCalls
    ) throws(Errno) -> FileDescriptor {
        guard !path.isRoot else { return try step(.itself, in: directory, for: purpose, calls: calls) }
        let device = try calls.attributes(of: directory).identity.device
        let names = path.names
        var current = directory
        defer { if current != directory { try? calls.close(current) } }
        for (index, name) in names.enumerated() {
            let isLast = index == names.count - 1
            let next = try step(FileName(name), in: current, for: isLast ? purpose : .pass, calls: calls)
            var isKept = false
            defer { if !isKept { try? calls.close(next) } }
            guard try calls.attributes(of: next).identity.device == device else { throw .improperLink }
            isKept = true
            if isLast { return next }
            if current != directory { try? calls.close(current) }
            current = next
        }
        throw .noSuchFileOrDirectory
    }

    private func step(
        _ name: FileName, in directory: FileDescriptor, for purpose: OpenPurpose, calls: any SandboxCalls
    ) throws(Errno) -> FileDescriptor {
        do throws(Errno) {
            return try Resolvers.repeated { () throws(Errno) in try calls.open(name, in: directory, for: purpose) }
        } catch {
            // If a directory is required, the kernel reports a link as `ENOTDIR`.
            guard error == .notDirectory,
                (try? calls.attributes(of: name, in: directory))?.type == .symbolicLink
            else { throw error }
            throw .tooManySymbolicLinkLevels
        }
    }
}
