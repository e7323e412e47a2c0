internal import CleatIO
internal import SystemPackage

/// The place of a managed file after all links are followed, and the file's present attributes.
struct ManagedPlace {
    /// The open directory; it stays the same one, even if the links that led to it change.
    let directory: Descriptor
    /// The file's name in the directory; a link's name only if links themselves are managed.
    let name: String
    /// The present attributes; nil if there is no file.
    let attributes: FileAttributes?
}

/// Finds the places of managed files below a root directory, with links followed as far as that is safe.
struct ManagedPlaces: Sendable {
    /// The directory that serves as `/`.
    let root: Descriptor
    /// The resolver of paths.
    let resolver: RootResolver
    let calls: any ManagedFileCalls

    /// Opens a directory; an empty path is the root itself.
    func open(directory path: SandboxPath) throws(Errno) -> Descriptor { try open(path.text) }

    private func open(_ path: String) throws(Errno) -> Descriptor {
        try resolver.open(path, in: root.descriptor, calls: calls)
    }

    /// Finds the place of a path: a link at its end is followed, and kept, unless it was declared to be managed itself.
    ///
    /// A file to restore is reached only by the way by which it was captured, if that is known: a link that was created
    /// since is not followed but is the file at that place.
    ///
    /// - Throws: `notFound` if a parent directory is missing; `changed` if a followed link leads elsewhere now, or is
    ///   gone; the reason why the file cannot be managed.
    func place(
        of path: SandboxPath, _ declaration: ManagedFileDeclaration, by way: FileMemento.Way? = nil,
        _ operation: String
    ) throws(SandboxError) -> ManagedPlace {
        let captured: String
        do throws(Errno) {
            switch way {
            case _ where declaration.isLink, .plain: return try find(path, followsLast: false)
            case nil: return try find(path, followsLast: true)
            case .link(let target):
                captured = target
                var followed: String?
                let place = try find(path, followsLast: true, noting: &followed)
                if let followed, try isSame(place, by: followed, as: target) { return place }
            }
        } catch {
            throw SandboxError(error, operation, at: path)
        }
        throw SandboxError(
            .changed, operation, area: nil, path: "/" + path.text,
            detail: "it was a symbolic link that led to “/\(captured)” when it was captured, and has changed; "
                + "restore the link (ln -sfn), and try again")
    }

    /// Returns true if the place that was found now is the captured one.
    private func isSame(_ place: ManagedPlace, by followed: String, as target: String) throws(Errno) -> Bool {
        if followed == target { return true }
        let (parent, name) = Self.split(target)
        guard place.name == name else { return false }
        do throws(Errno) {
            let directory = try open(parent)
            return try calls.attributes(of: directory.descriptor).identity
                == calls.attributes(of: place.directory.descriptor).identity
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return false }
            throw error
        }
    }

    private static func split(_ path: String) -> (parent: String, name: String) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
        return (String(path[..<slash]), String(path[path.utf8.index(after: slash)...]))
    }

    /// Finds the place of a path.
    func find(_ path: SandboxPath, followsLast: Bool) throws(Errno) -> ManagedPlace {
        var followed: String?
        return try find(path, followsLast: followsLast, noting: &followed)
    }

    /// Finds the place of a path, and records the path, relative to the root, to which the links at its end lead.
    ///
    /// Nil is recorded if there is no link; if the directory of the target is missing, the path is recorded
    /// nevertheless.
    func find(
        _ path: SandboxPath, followsLast: Bool, noting followed: inout String?
    ) throws(Errno) -> ManagedPlace {
        followed = nil
        var parent = path.parent.text
        var name = path.name ?? ""
        // A file that changes between link and non-link counts as one more link each time, so the loop ends.
        for _ in 0...RootResolver.linkLimit {
            let directory = try open(parent)
            let attributes: FileAttributes?
            do throws(Errno) {
                attributes = try Resolvers.repeated { () throws(Errno) in
                    try calls.attributes(of: FileName(name), in: directory.descriptor)
                }
            } catch {
                if error != .noSuchFileOrDirectory { throw error }
                attributes = nil
            }
            guard followsLast, attributes?.type == .symbolicLink else {
                return ManagedPlace(directory: directory, name: name, attributes: attributes)
            }
            let link: String?
            do throws(Errno) {
                link = try RootResolver.follow(name, in: directory.descriptor, calls: calls)
            } catch {
                if error == .noSuchFileOrDirectory { continue }
                throw error
            }
            guard let target = link else { continue }
            // A link's target is relative to the link's directory: that path is put in front of it and resolved again,
            // since “..” after a link leads to the link target's own parent.
            let isAbsolute = target.utf8.first == UInt8(ascii: "/")
            let whole = isAbsolute || parent.isEmpty ? target : parent + "/" + target
            (parent, name) = Self.split(whole)
            followed = String(Substring(whole.utf8.drop { $0 == UInt8(ascii: "/") }))
            // Links whose targets end like this can only lead to a directory.
            if name.isEmpty || name == "." || name == ".." { throw .isDirectory }
        }
        throw .tooManySymbolicLinkLevels
    }

    /// Checks that the file at a place can be managed: a regular file, or the link itself, with one name and nothing
    /// mounted on it.
    func check(_ place: ManagedPlace, _ operation: String, _ path: SandboxPath) throws(SandboxError) {
        guard let attributes = place.attributes else { return }
        switch attributes.type {
        case .regular, .symbolicLink: break
        case .directory: throw SandboxError(Errno.isDirectory, operation, at: path)
        default: throw SandboxError(.specialFile, operation, at: path)
        }
        do throws(Errno) {
            let isMountPoint = try Resolvers.repeated { () throws(Errno) in
                try calls.isMountPoint(FileName(place.name), in: place.directory.descriptor)
            }
            if isMountPoint { throw .improperLink }
        } catch {
            // A file that has been removed since is not a mount point; opening it reports that it is gone.
            if error != .noSuchFileOrDirectory { throw SandboxError(error, operation, at: path) }
        }
        guard attributes.links <= 1 else { throw SandboxError(.hardLink, operation, at: path) }
    }

    /// Counts the missing directories at the end of a path.
    func missingParents(of path: SandboxPath, _ operation: String) throws(SandboxError) -> Int {
        var missing = 0
        var way = path.parent
        while !way.isRoot {
            do throws(Errno) {
                if try exists(directory: way) { return missing }
            } catch {
                throw SandboxError(error, operation, at: way)
            }
            missing += 1
            way = way.parent
        }
        return missing
    }

    /// Returns true if a directory exists.
    func exists(directory path: SandboxPath) throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try open(directory: path)
            return true
        } catch {
            if error == .noSuchFileOrDirectory { return false }
            throw error
        }
    }

    /// Opens the directory of a path, or the nearest existing directory above it.
    func nearestDirectory(to path: SandboxPath, followsLast: Bool) throws(Errno) -> Descriptor {
        do throws(Errno) {
            return try find(path, followsLast: followsLast).directory
        } catch {
            if error != .noSuchFileOrDirectory { throw error }
        }
        var way = path.parent
        while !way.isRoot {
            do throws(Errno) {
                return try open(directory: way)
            } catch {
                if error != .noSuchFileOrDirectory { throw error }
            }
            way = way.parent
        }
        return root
    }
}

extension SandboxError {
    /// Creates the error of a system call on a managed file.
    init(_ errno: Errno, _ operation: String, at path: SandboxPath) {
        self.init(errno, operation, area: nil, path: "/" + path.text)
    }

    /// Creates the error of a managed file that cannot be managed.
    init(_ code: Code, _ operation: String, at path: SandboxPath) {
        self.init(code, operation, area: nil, path: "/" + path.text)
    }

    /// Creates the error of a durable write of a managed file.
    init(_ error: DurableFileError, _ operation: String, at path: SandboxPath) {
        self.init(
            Code(error.cause), operation, area: nil, path: "/" + path.text, errno: error.cause,
            detail: "\(error.reason); \(error.remedy)")
    }
}
