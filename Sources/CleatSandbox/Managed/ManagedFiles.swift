internal import CleatIO
package import SystemPackage

/// Reads, captures, writes and restores single files of the system that were declared, and no others.
///
/// Paths are those of the system, resolved with the root directory for `/`: a link within the root is followed, the file
/// behind it is the managed one, and the link stays; no link leads out of the root, and none is followed that belongs to
/// another user than root and this process's own. What is not a regular file with one
/// name that nothing is mounted on is refused. Every write is durable, whole or not at all; several of them share their
/// flushes in a ``ManagedFileBatch``.
package struct ManagedFiles: Sendable {
    /// What may be managed.
    package let declarations: [ManagedFileDeclaration]
    /// The way that paths are resolved by.
    package let resolver: RootResolver
    let root: Descriptor
    let calls: any ManagedFileCalls
    /// The batch that writes belong to; nil where each is flushed by itself.
    var batch: ManagedFileBatch?

    /// Opens the root directory.
    ///
    /// - Parameters:
    ///   - root: the directory that stands for `/`; it must be there.
    ///   - declarations: the files that may be managed.
    ///   - resolver: the way to resolve paths; nil for the best one that works here.
    ///   - calls: the system calls, which a test can make fail.
    /// - Throws: why the root could not be opened.
    package init(
        root: FilePath, declarations: [ManagedFileDeclaration], resolver: RootResolver? = nil,
        calls: any ManagedFileCalls = SystemFileCalls()
    ) throws(SandboxError) {
        do {
            self.root = try Descriptor(
                owning: FileDescriptor.open(root, .readOnly, options: [.directory, .closeOnExec, .nonBlocking]))
        } catch {
            let errno = error as? Errno ?? .ioError
            throw SandboxError(errno, "open the root directory", area: nil, path: root.string)
        }
        self.declarations = declarations
        self.calls = calls
        self.resolver = resolver ?? .best(for: self.root.descriptor, calls: calls)
    }

    /// Takes away the temporary files that cut-off writes have left in the directories of the declared files.
    ///
    /// - Returns: how many there were.
    /// - Throws: why a directory that is there could not be swept.
    @discardableResult
    package func sweep() throws(SandboxError) -> Int {
        var count = 0
        for declaration in declarations {
            count += try sweep(declaration.directory) { () throws(Errno) in
                try resolver.open(declaration.directory.text, in: root.descriptor, calls: calls)
            }
            // The file behind a link is written where that leads.
            guard declaration.isPlain, let path = try? declaration.directory.appending(declaration.pattern.text) else {
                continue
            }
            count += try sweep(path) { () throws(Errno) in try find(path, followsLast: !declaration.isLink).directory }
        }
        return count
    }

    private func sweep(
        _ path: SandboxPath, _ open: () throws(Errno) -> Descriptor
    ) throws(SandboxError) -> Int {
        do throws(Errno) {
            let directory = try open()
            var left: [String] = []
            try calls.names(in: directory.descriptor) { name in
                if name.isTemporary, let text = name.text { left.append(text) }
                return left.count < Self.namesLimit
            }
            for name in left { try calls.remove(name, in: directory.descriptor) }
            return left.count
        } catch {
            // What is missing, or is no way to a file at all, is told when the file is asked for.
            switch error {
            case .noSuchFileOrDirectory, .notDirectory, .isDirectory, .tooManySymbolicLinkLevels, .foreignLink: return 0
            default: throw failure(error, "sweep", path)
            }
        }
    }

    /// The most files that one pattern may mean.
    package static let namesLimit = 4096

    /// Lists the paths of the files that a declaration means and that are there, sorted by their bytes.
    ///
    /// - Throws: `tooMany` beyond ``namesLimit``; why the directory could not be listed.
    package func paths(of declaration: ManagedFileDeclaration) throws(SandboxError) -> [String] {
        var found: [SandboxPath] = []
        var isTooMany = false
        do throws(Errno) {
            let opened = try resolver.open(declaration.directory.text, in: root.descriptor, calls: calls)
            try calls.names(in: opened.descriptor) { name in
                // A name that is no path of ours cannot have been written by us and cannot be asked for.
                guard let text = name.text, declaration.pattern.matches(text),
                    let path = try? declaration.directory.appending(text)
                else { return true }
                isTooMany = found.count >= Self.namesLimit
                if !isTooMany { found.append(path) }
                return !isTooMany
            }
        } catch {
            if error == .noSuchFileOrDirectory { return [] }
            throw failure(error, "list", declaration.directory)
        }
        if isTooMany { throw refusal(.tooMany, "list", declaration.directory) }
        return found.sorted().map { "/" + $0.text }
    }

    /// Gives the same root with more files that may be managed.
    ///
    /// What is declared anew holds; what was declared before stays, since it may have to be brought back.
    package func declaring(_ more: [ManagedFileDeclaration]) -> ManagedFiles {
        var seen: Set<ManagedFileDeclaration> = []
        return ManagedFiles(
            declarations: (more + declarations).filter { seen.insert($0).inserted }, resolver: resolver, root: root,
            calls: calls)
    }

    private init(
        declarations: [ManagedFileDeclaration], resolver: RootResolver, root: Descriptor, calls: any ManagedFileCalls
    ) {
        self.declarations = declarations
        self.resolver = resolver
        self.root = root
        self.calls = calls
    }

    /// Says what a path stands for, links followed; it need not be declared, for nothing is opened but directories.
    ///
    /// - Returns: nil where nothing is there.
    /// - Throws: `badPath`; why it could not be looked at.
    package func kind(at path: String) throws(SandboxError) -> FileKind? {
        let checked = try ManagedFileDeclaration.checked(path, "look at")
        do throws(Errno) {
            return try find(checked, followsLast: true).attributes?.type
        } catch {
            switch error {
            case .noSuchFileOrDirectory, .notDirectory: return nil
            // A link that ends in a directory's own name.
            case .isDirectory: return .directory
            default: throw failure(error, "look at", checked)
            }
        }
    }

    /// Sees that this process may write what a path stands for, or make it: by the directory that the file is in, a link at
    /// its end followed where links themselves are not managed, or by the nearest one that is there.
    ///
    /// It looks only: a file system that is full shows when the file is written.
    ///
    /// - Throws: `denied`; `readOnly`; `badPath`; why it could not be looked at.
    package func checkWritable(_ path: String) throws(SandboxError) {
        let checked = try ManagedFileDeclaration.checked(path, "write")
        let isLink = declarations.first { $0.declares(checked) }?.isLink ?? false
        do throws(Errno) {
            let directory = try nearestDirectory(to: checked, followsLast: !isLink)
            try calls.checkAccess(to: .itself, in: directory.descriptor, writing: true)
        } catch {
            throw failure(error, "write", checked)
        }
    }

    private func nearestDirectory(to path: SandboxPath, followsLast: Bool) throws(Errno) -> Descriptor {
        do throws(Errno) {
            return try find(path, followsLast: followsLast).directory
        } catch {
            if error != .noSuchFileOrDirectory { throw error }
        }
        var way = path.parent
        while !way.isRoot {
            do throws(Errno) {
                return try resolver.open(way.text, in: root.descriptor, calls: calls)
            } catch {
                if error != .noSuchFileOrDirectory { throw error }
            }
            way = way.parent
        }
        return root
    }

    /// Whether the directories that a declared file belongs into are made for it.
    package func makesParents(of path: String) -> Bool {
        (try? declared(path, "look at"))?.1.makesParents ?? false
    }

    /// Says what stands in the way of bringing back a file that was captured behind a link, as the end of a sentence with
    /// the remedy: that none leads there any more; nil where one does, and of any other file.
    package func changedWay(of memento: FileMemento) -> String? {
        guard case .link = memento.way, let (checked, declaration) = try? declared(memento.path, "look at") else {
            return nil
        }
        do throws(SandboxError) {
            _ = try place(of: checked, declaration, by: memento.way, "look at")
            return nil
        } catch {
            return error.code == .changed ? error.reason : nil
        }
    }

    /// A directory that a file belongs into and that is not there.
    package enum MissingDirectory: Hashable, Sendable {
        /// The one that its path names.
        case own
        /// The one of this path, which a link at the end of the file's own leads to; it is never made.
        case behindLink(to: String)
    }

    /// Says which directory is missing that a declared file belongs into, or belonged into when it was captured; nil where
    /// none is, and where something else stands in the way.
    package func missingDirectory(of path: String, bringingBack memento: FileMemento? = nil) -> MissingDirectory? {
        guard let (checked, declaration) = try? declared(path, "look at") else { return nil }
        var followed: String?
        do throws(Errno) {
            _ = try find(
                checked, followsLast: !declaration.isLink && memento?.way != .plain, noting: &followed)
            return nil
        } catch {
            guard error == .noSuchFileOrDirectory else { return nil }
            return followed.map { .behindLink(to: "/" + $0) } ?? .own
        }
    }

    /// Whether a file may be managed.
    package func declares(_ path: String) -> Bool { (try? declared(path, "look at")) != nil }

    /// Finds the declaration of a path, and the path as it was checked.
    ///
    /// - Throws: `badPath`; `notDeclared`.
    func declared(_ path: String, _ operation: String) throws(SandboxError) -> (SandboxPath, ManagedFileDeclaration) {
        let checked = try ManagedFileDeclaration.checked(path, operation)
        guard let declaration = declarations.first(where: { $0.declares(checked) }) else {
            throw refusal(.notDeclared, operation, checked)
        }
        return (checked, declaration)
    }
}
