internal import CleatIO
package import SystemPackage

/// Opens directories with another one for `/`, so that no link leads out of that.
///
/// Links on the way are followed where they belong to root or to the user that this process runs as, and no others: whoever
/// may write to a directory could lead a service with more rights elsewhere by a link in it (as with the kernel's
/// `fs.protected_symlinks`, but in every directory).
package struct RootResolver: Sendable {
    /// Names a way to resolve a path.
    package enum Kind: String, Sendable, CaseIterable {
        /// By the kernel in one call (`openat2`) where no link is on the way, which is nearly always.
        case kernel
        /// Name by name, for kernels without `openat2`, and filters that refuse it.
        case walking
    }

    /// The most links that are followed on one way, as the kernel has it.
    package static let linkLimit = 40
    /// The most directories below the root that a way may be deep.
    static let depthLimit = 64
    /// The most bytes that a way may have with what its links stand for.
    static let pathLimit = 4095

    /// The way that it goes.
    package let kind: Kind

    /// Takes a way.
    package init(_ kind: Kind) { self.kind = kind }

    /// Finds which way works here, by opening `root` itself.
    package static func best(for root: FileDescriptor, calls: any ManagedFileCalls) -> RootResolver {
        guard let opened = try? calls.open(directory: "", inRoot: root) else { return RootResolver(.walking) }
        try? opened.close()
        return RootResolver(.kernel)
    }

    /// Opens a directory, to list and to flush it; an empty path is the root's own.
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
                // The kernel does not ask whom a link belongs to.
                guard error == .tooManySymbolicLinkLevels else { throw error }
                return try walk(path, in: root, calls: calls)
            }
        case .walking: return try walk(path, in: root, calls: calls)
        }
    }

    private func walk(
        _ path: String, in root: FileDescriptor, calls: any ManagedFileCalls
    ) throws(Errno) -> Descriptor {
        // The directories that lead from the root to the present one stay open: `..` is then what it was on the way down,
        // wherever somebody moves a directory meanwhile.
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
                // A link is told from a file only by what can be seen of it.
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

    /// Says what a link stands for that may be followed.
    ///
    /// It is opened first, so that it is the same link whose owner is looked at and that is read.
    ///
    /// - Returns: nil where the name is not that of a link.
    /// - Throws: `foreignLink`; why it could not be looked at.
    static func follow(
        _ name: String, in directory: FileDescriptor, calls: any ManagedFileCalls
    ) throws(Errno) -> String? {
        let link = try Descriptor(
            owning: Resolvers.repeated { () throws(Errno) in
                try calls.open(FileName(name), in: directory, for: .look)
            })
        let attributes = try calls.attributes(of: link.descriptor)
        guard attributes.type == .symbolicLink else { return nil }
        guard attributes.owner.user == 0 || attributes.owner.user == ProcessSelf.uid else { throw .foreignLink }
        return try calls.readLink(FileName(""), in: link.descriptor)
    }

    /// The names of a path, the last one first.
    private static func names(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
    }
}

extension Errno {
    /// A link that belongs to another user stands in the way; a number that no call gives, for those end at 4095.
    static let foreignLink = Errno(rawValue: 4096)
}
