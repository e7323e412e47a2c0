internal import CleatIO
internal import SystemPackage

/// Where a managed file is once all links are followed, and what stands there.
struct ManagedPlace {
    /// The open directory; it stays the same one, whatever happens to the links that led to it.
    let directory: Descriptor
    /// The file's name in it; that of a link only where links themselves are managed.
    let name: String
    /// What stands there; nil where nothing does.
    let attributes: FileAttributes?
}

extension ManagedFiles {
    /// Finds the file that a path stands for: a link at its end is followed, and stays, where it was not
    /// declared to be managed itself.
    ///
    /// What is to be brought back is reached by the way that it was captured by, where that is known, or not at all: a link
    /// that has come since is not followed, but is what stands there.
    ///
    /// - Throws: `notFound` where a directory on the way is missing; `changed` where a link that was followed leads
    ///   elsewhere now, or is gone; what stands in the way of managing the file.
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
            throw failure(error, operation, path)
        }
        throw SandboxError(
            .changed, operation, area: nil, path: "/" + path.text,
            detail: "it was a symbolic link that led to “/\(captured)” when it was captured, and leads there no more; "
                + "make it lead there again (ln -sfn), and do it again")
    }

    /// Whether a place that was reached now is the one that was reached once.
    private func isSame(_ place: ManagedPlace, by followed: String, as target: String) throws(Errno) -> Bool {
        if followed == target { return true }
        let (parent, name) = Self.split(target)
        guard place.name == name else { return false }
        do throws(Errno) {
            let directory = try resolver.open(parent, in: root.descriptor, calls: calls)
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

    func find(_ path: SandboxPath, followsLast: Bool) throws(Errno) -> ManagedPlace {
        var followed: String?
        return try find(path, followsLast: followsLast, noting: &followed)
    }

    /// Finds what a path stands for, and notes the path, from the root on, that the links at its end lead to.
    ///
    /// Nil is noted where there is none; where the directory that they lead to is missing, the path is noted all the same.
    func find(
        _ path: SandboxPath, followsLast: Bool, noting followed: inout String?
    ) throws(Errno) -> ManagedPlace {
        followed = nil
        var parent = path.parent.text
        var name = path.name ?? ""
        // What is a link at one moment and none at the next counts as one more link: that ends, too.
        for _ in 0...RootResolver.linkLimit {
            let directory = try resolver.open(parent, in: root.descriptor, calls: calls)
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
            // What the link stands for begins where the link is: in front of it stands the way there, which is resolved
            // again, for “..” behind a link leads to the link's own parent.
            let isAbsolute = target.utf8.first == UInt8(ascii: "/")
            let whole = isAbsolute || parent.isEmpty ? target : parent + "/" + target
            (parent, name) = Self.split(whole)
            followed = String(Substring(whole.utf8.drop { $0 == UInt8(ascii: "/") }))
            // Links that end so can only stand for a directory.
            if name.isEmpty || name == "." || name == ".." { throw .isDirectory }
        }
        throw .tooManySymbolicLinkLevels
    }

    /// Sees that what stands at a place can be managed: a regular file, or the link itself, with one name that
    /// nothing is mounted on.
    func check(_ place: ManagedPlace, _ operation: String, _ path: SandboxPath) throws(SandboxError) {
        guard let attributes = place.attributes else { return }
        switch attributes.type {
        case .regular, .symbolicLink: break
        case .directory: throw failure(.isDirectory, operation, path)
        default: throw refusal(.specialFile, operation, path)
        }
        do throws(Errno) {
            let isMountPoint = try Resolvers.repeated { () throws(Errno) in
                try calls.isMountPoint(FileName(place.name), in: place.directory.descriptor)
            }
            if isMountPoint { throw .improperLink }
        } catch {
            // A file that has gone away since is not mounted on; whoever opens it sees that it is gone.
            if error != .noSuchFileOrDirectory { throw failure(error, operation, path) }
        }
        guard attributes.links <= 1 else { throw refusal(.hardLink, operation, path) }
    }

    /// Makes the directories that are missing on the way to a declared file, and has each flushed into its own.
    func makeParents(of path: SandboxPath, _ operation: String) throws(SandboxError) {
        var way = SandboxPath.root
        for name in path.parent.names {
            let parent = way
            way = try way.appending(name)
            do throws(Errno) {
                if try exists(directory: way) { continue }
                let directory = try resolver.open(parent.text, in: root.descriptor, calls: calls)
                do throws(Errno) {
                    try calls.makeDirectory(
                        FileName(name), in: directory.descriptor,
                        permissions: [.ownerReadWriteExecute, .groupReadExecute, .otherReadExecute])
                } catch {
                    if error != .fileExists { throw error }
                }
                try calls.flushDirectory(directory.descriptor)
            } catch {
                throw failure(error, operation, way)
            }
        }
    }

    /// Counts the directories at the end of a path that are missing.
    func missingParents(of path: SandboxPath, _ operation: String) throws(SandboxError) -> Int {
        var missing = 0
        var way = path.parent
        while !way.isRoot {
            do throws(Errno) {
                if try exists(directory: way) { return missing }
            } catch {
                throw failure(error, operation, way)
            }
            missing += 1
            way = way.parent
        }
        return missing
    }

    private func exists(directory path: SandboxPath) throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try resolver.open(path.text, in: root.descriptor, calls: calls)
            return true
        } catch {
            if error == .noSuchFileOrDirectory { return false }
            throw error
        }
    }

    func failure(_ errno: Errno, _ operation: String, _ path: SandboxPath) -> SandboxError {
        SandboxError(errno, operation, area: nil, path: "/" + path.text)
    }

    func refusal(_ code: SandboxError.Code, _ operation: String, _ path: SandboxPath) -> SandboxError {
        SandboxError(code, operation, area: nil, path: "/" + path.text)
    }
}
