internal import CleatIO
package import SystemPackage

/// Opens directories with another one for `/`, so that no link leads out of that.
package struct RootResolver: Sendable {
    /// Names a way to resolve a path.
    package enum Kind: String, Sendable, CaseIterable {
        /// By the kernel in one call (`openat2`).
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
            return try Descriptor(
                owning: Resolvers.repeated { () throws(Errno) in try calls.open(directory: path, inRoot: root) })
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
                // A link is told from a file only by what can be read of it.
                guard error == .notDirectory || error == .tooManySymbolicLinkLevels else { throw error }
                let target: String
                do throws(Errno) {
                    target = try calls.readLink(FileName(name), in: current)
                } catch let reading {
                    throw reading == .invalidArgument ? error : reading
                }
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

    /// The names of a path, the last one first.
    private static func names(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(Substring($0)) }.filter { $0 != "." }
    }
}
