internal import CleatIO
package import SystemPackage

/// Opens directories with another directory as `/`, so that no link leads out of it.
///
/// Links are followed only if they belong to root or to the user of this process: otherwise a user who can write to a
/// directory could redirect a more privileged service by a link in it. The kernel's `fs.protected_symlinks` does the
/// same, but only in sticky world-writable directories.
package struct RootResolver: Sendable {
    /// A method of resolving a path.
    package enum Kind: String, Sendable, CaseIterable {
        /// By the kernel in one call (`openat2`) if the path contains no link, which is nearly always the case.
        case kernel
        /// Name by name, for kernels without `openat2`, and seccomp filters that refuse it.
        case walking
    }

    /// The most links that are followed in one path, as in the kernel.
    package static let linkLimit = 40
    /// The largest depth of a path below the root, in directories.
    static let depthLimit = 64
    /// The most bytes of a path including the targets of its links.
    static let pathLimit = 4095

    /// The method in use.
    package let kind: Kind

    /// Makes a resolver with a method.
    package init(_ kind: Kind) { self.kind = kind }

    /// Finds the best method that works here, by opening `root` itself.
    package static func best(for root: FileDescriptor, calls: any ManagedFileCalls) -> RootResolver {
        guard let opened = try? calls.open(directory: "", inRoot: root) else { return RootResolver(.walking) }
        try? opened.close()
        return RootResolver(.kernel)
    }

    /// Opens a directory to list and flush it; an empty path is the root itself.
    func open(
        _ path: String, in root: FileDescriptor, calls: any ManagedFileCalls
    ) throws(Errno) -> Descriptor {
        guard path.utf8.count <= Self.pathLimit else { throw .fileNameTooLong }
        switch kind {
        case .kernel:
            do throws(Errno) {
                return try Descriptor(
                    owning: Resolvers.repeated { () throws(Errno) in try calls.open(directory: path, inRoot: root) })
            } catch {
                // The kernel does not check the owner of a link, so a path with links is walked here.
                guard error == .tooManySymbolicLinkLevels else { throw error }
                return try walk(path, in: root, calls: calls)
            }
        case .walking: return try walk(path, in: root, calls: calls)
        }
    }

    private func walk(
        _ path: String, in root: FileDescriptor, calls: any ManagedFileCalls
    ) throws(Errno) -> Descriptor {
        // The directories from the root to the current one stay open: so `..` is the directory that was passed on the
        // way down, even if another process moves directories meanwhile.
        var way: [Descriptor] = []
        var rest = Self.names(path)
        var links = 0
        while let name = rest.popLast() {
            if name == ".." {
                _ = way.popLast()
                continue
            }
            let current = way.last?.descriptor ?? root
            do throws(Errno) {
                let next = try Resolvers.repeated { () throws(Errno) in
                    try calls.open(FileName(name), in: current, for: .pass)
                }
                way.append(Descriptor(owning: next))
                guard way.count <= Self.depthLimit else { throw Errno.fileNameTooLong }
            } catch {
                // The error does not distinguish a link from a file, so the name is checked.
                guard error == .notDirectory || error == .tooManySymbolicLinkLevels else { throw error }
                guard let target = try Self.follow(name, in: current, calls: calls) else { throw error }
                links += 1
                guard links <= Self.linkLimit else { throw .tooManySymbolicLinkLevels }
                if target.utf8.first == UInt8(ascii: "/") { way = [] }
                rest += Self.names(target)
            }
        }
        let last = way.last?.descriptor ?? root
        return try Descriptor(
            owning: Resolvers.repeated { () throws(Errno) in try calls.open(FileName("."), in: last, for: .list) })
    }

    /// Returns the target of a link that may be followed.
    ///
    /// The link is opened first, so that the link whose owner is checked is the one that is read.
    ///
    /// - Returns: The target; nil if the name is not that of a link.
    /// - Throws: `foreignLink`; the reason why it could not be read.
    static func follow(
        _ name: String, in directory: FileDescriptor, calls: any ManagedFileCalls
    ) throws(Errno) -> String? {
        let link = try Descriptor(
            owning: Resolvers.repeated { () throws(Errno) in
                try calls.open(FileName(name), in: directory, for: .inspect)
            })
        let attributes = try calls.attributes(of: link.descriptor)
        guard attributes.type == .symbolicLink else { return nil }
        guard attributes.owner.user == 0 || attributes.owner.user == ProcessSelf.uid else { throw .foreignLink }
        return try calls.readLink(FileName(""), in: link.descriptor)
    }

    /// Returns the names of a path, the last one first.
    private static func names(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
    }
}

extension Errno {
    /// A link of another user is in the path; the number is above 4095, the largest error of a system call.
    static let foreignLink = Errno(rawValue: 4096)
}
