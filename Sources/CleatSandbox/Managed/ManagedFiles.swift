internal import CleatIO
package import SystemPackage

/// Reads, captures, writes and restores single system files that were declared, and no others.
///
/// Paths are those of the system, resolved with the root directory as `/`: a link within the root is followed, its
/// target is the managed file, and the link stays. No link leads out of the root, and no link is followed that belongs
/// to a user other than root and this process's own. Only a regular file with one name and nothing mounted on it is
/// accepted. Every write is durable and atomic; several of them share their flushes in a ``ManagedFileBatch``.
package struct ManagedFiles: Sendable {
    /// The declarations of the files that may be managed.
    package let declarations: [ManagedFileDeclaration]
    /// The resolver of paths.
    package let resolver: RootResolver
    let root: Descriptor
    let calls: any ManagedFileCalls
    /// The batch that writes belong to; nil if each one is flushed by itself.
    var batch: ManagedFileBatch?

    /// Opens the root directory.
    ///
    /// - Parameters:
    ///   - root: The directory that serves as `/`; it must exist.
    ///   - declarations: The files that may be managed.
    ///   - resolver: The resolver of paths; nil for the best one on this kernel.
    ///   - calls: The system calls, which a test can make fail.
    /// - Throws: The reason why the root could not be opened.
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

    /// Removes the temporary files that interrupted writes have left in the directories of the declared files.
    ///
    /// - Returns: The number of removed files.
    /// - Throws: The reason why an existing directory could not be swept.
    @discardableResult
    package func sweep() throws(SandboxError) -> Int {
        var count = 0
        for declaration in declarations {
            count += try sweep(declaration.directory) { () throws(Errno) in
                try resolver.open(declaration.directory.text, in: root.descriptor, calls: calls)
            }
            // The file behind a link is written in the directory of the link's target.
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
            // A missing or unusable path is reported when the file itself is used.
            switch error {
            case .noSuchFileOrDirectory, .notDirectory, .isDirectory, .tooManySymbolicLinkLevels, .foreignLink: return 0
            default: throw failure(error, "sweep", path)
            }
        }
    }

    /// The most files that one pattern may match.
    package static let namesLimit = 4096

    /// Lists the paths of the existing files that a declaration covers, sorted by their bytes.
    ///
    /// - Throws: `tooMany` beyond ``namesLimit``; the reason why the directory could not be listed.
    package func paths(of declaration: ManagedFileDeclaration) throws(SandboxError) -> [String] {
        var found: [SandboxPath] = []
        var isTooMany = false
        do throws(Errno) {
            let opened = try resolver.open(declaration.directory.text, in: root.descriptor, calls: calls)
            try calls.names(in: opened.descriptor) { name in
                // A name that is not valid in a path was not written by Cleat and cannot be used.
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

    /// Returns the same root with additional declarations.
    ///
    /// The additional declarations take precedence; earlier ones stay, since their files may have to be restored.
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

    /// Returns the file type at a path, links followed; the path need not be declared, since no file's content is read.
    ///
    /// - Returns: The type; nil if nothing is there.
    /// - Throws: `badPath`; the reason why it could not be checked.
    package func kind(at path: String) throws(SandboxError) -> FileKind? {
        let checked = try ManagedFileDeclaration.checked(path, "look at")
        do throws(Errno) {
            return try find(checked, followsLast: true).attributes?.type
        } catch {
            switch error {
            case .noSuchFileOrDirectory, .notDirectory: return nil
            // A link whose target ends in `.`, `..` or a slash.
            case .isDirectory: return .directory
            default: throw failure(error, "look at", checked)
            }
        }
    }

    /// Checks that this process may write or make the file at a path, by the permissions of the file's directory.
    ///
    /// A link at the end of the path is followed unless links themselves are managed; if the directory is missing, the
    /// nearest existing one is checked. Nothing is written: a full file system is detected only by the write itself.
    ///
    /// - Throws: `denied`; `readOnly`; `badPath`; the reason why it could not be checked.
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

    /// Returns true if missing parent directories of a declared file are made.
    package func makesParents(of path: String) -> Bool {
        (try? declared(path, "look at"))?.1.makesParents ?? false
    }

    /// Returns the reason why a file that was captured behind a link cannot be restored: no link leads there any more.
    ///
    /// The reason is the end of a sentence, with the remedy. It is nil if a link leads there, and for any other file.
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

    /// A missing directory of a file.
    package enum MissingDirectory: Hashable, Sendable {
        /// The parent directory in the file's own path.
        case own
        /// The directory of this path, to which a link at the file's path leads; it is never made.
        case behindLink(to: String)
    }

    /// Returns the missing directory of a declared file, or of the place where it was captured; nil if none is missing,
    /// or if there is another problem.
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

    /// Returns true if a file may be managed.
    package func declares(_ path: String) -> Bool { (try? declared(path, "look at")) != nil }

    /// Returns the declaration of a path, and the validated path.
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
