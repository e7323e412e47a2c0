internal import CleatIO
internal import SystemPackage

extension ManagedFiles {
    /// Returns the target of a link that was declared to be managed itself; nil if there is none, or something else.
    ///
    /// - Throws: `notDeclared`; the reason why it cannot be managed.
    package func linkTarget(_ path: String) throws(SandboxError) -> String? {
        let (checked, declaration) = try declaredLink(path, "read")
        return try link(at: checked, declaration, "read")?.target
    }

    /// Returns the target of a link; the path need not be declared, since it is only read.
    package func target(of path: String) -> String? {
        guard let checked = try? ManagedFileDeclaration.checked(path, "look at"), let name = checked.name else {
            return nil
        }
        guard let directory = try? resolver.open(checked.parent.text, in: root.descriptor, calls: calls) else {
            return nil
        }
        return try? calls.readLink(FileName(name), in: directory.descriptor)
    }

    /// Makes a link of a name that was declared to be managed itself, durably and atomically: other programs see the
    /// old state or the new link.
    ///
    /// - Parameters:
    ///   - path: The link's absolute path as seen by the system.
    ///   - target: The link's target, absolute or relative to its directory; it need not exist.
    /// - Throws: The reason why it cannot be managed; the step that failed.
    package func link(_ path: String, to target: String) throws(SandboxError) {
        let (checked, declaration) = try declaredLink(path, "link")
        try putLink(to: target, at: checked, declaration, owner: nil, "link")
    }

    private func declaredLink(
        _ path: String, _ operation: String
    ) throws(SandboxError) -> (SandboxPath, ManagedFileDeclaration) {
        let (checked, declaration) = try declared(path, operation)
        guard declaration.isLink else { throw refusal(.notDeclared, operation, checked) }
        return (checked, declaration)
    }

    /// Reads the link at a path; returns nil if there is none, or something else.
    func link(
        at path: SandboxPath, _ declaration: ManagedFileDeclaration, _ operation: String
    ) throws(SandboxError) -> (target: String, owner: FileOwner)? {
        let place: ManagedPlace
        do throws(SandboxError) {
            place = try self.place(of: path, declaration, operation)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
        guard let attributes = place.attributes, attributes.type == .symbolicLink else { return nil }
        try check(place, operation, path)
        do throws(Errno) {
            let target = try Resolvers.repeated { () throws(Errno) in
                try calls.readLink(FileName(place.name), in: place.directory.descriptor)
            }
            return (target, attributes.owner)
        } catch {
            switch error {
            case .invalidArgument, .noSuchFileOrDirectory: throw refusal(.changed, operation, path)
            default: throw failure(error, operation, path)
            }
        }
    }

    /// Makes a link; if there is no space, it removes the batch's temporary files and tries again.
    private func makeLink(to target: String, _ name: String, in directory: FileDescriptor) throws(Errno) {
        do throws(Errno) {
            try repeated { () throws(Errno) in try calls.makeLink(to: target, name, in: directory) }
        } catch {
            guard let batch, error == .noSpace || error == .diskQuotaExceeded, batch.discard() else { throw error }
            try repeated { () throws(Errno) in try calls.makeLink(to: target, name, in: directory) }
        }
    }

    /// Makes a temporary link and renames it over the present file or link.
    func putLink(
        to target: String, at path: SandboxPath, _ declaration: ManagedFileDeclaration, owner: FileOwner?,
        _ operation: String
    ) throws(SandboxError) {
        guard declaration.isLink else { throw refusal(.notDeclared, operation, path) }
        if declaration.makesParents { try makeParents(of: path, operation) }
        let place = try place(of: path, declaration, operation)
        try check(place, operation, path)
        let directory = place.directory.descriptor
        let temporary = DurableFile.temporaryPrefix + String(SystemFileCalls.random(), radix: 16)
        do throws(Errno) {
            do throws(Errno) {
                try makeLink(to: target, temporary, in: directory)
                if let owner {
                    try repeated { () throws(Errno) in try calls.setOwner(owner, ofLink: temporary, in: directory) }
                }
                try repeated { () throws(Errno) in try calls.rename(temporary, to: place.name, in: directory) }
            } catch {
                // A temporary link that cannot be removed now is swept later.
                try? calls.remove(temporary, in: directory)
                throw error
            }
            try flushDirectory(of: place, operation, path)
        } catch {
            throw failure(error, operation, path)
        }
    }
}
