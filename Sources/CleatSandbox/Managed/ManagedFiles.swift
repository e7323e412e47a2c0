internal import CLinux
package import CleatIO
import CleatOrder
package import SystemPackage

/// Reads, captures, writes and restores single system files that were declared, and no others.
///
/// Paths are those of the system, resolved with the root directory as `/`: a link within the root is followed, its
/// target is the managed file, and the link stays. No link leads out of the root, and no link is followed that belongs
/// to a user other than root and this process's own. Only a regular file with one name and nothing mounted on it is
/// accepted. Every write is durable and atomic; several of them share their flushes in a ``ManagedFileBatch``.
package struct ManagedFiles: Sendable {
    /// The declarations of the files that may be managed.
    package var declarations: [ManagedFileDeclaration] { declared.all }
    private let declared: ManagedFileDeclarations
    private let places: ManagedPlaces
    private var batch: ManagedFileBatch?

    private var calls: any ManagedFileCalls { places.calls }
    private var reader: ManagedFileReader { ManagedFileReader(places: places) }
    private var writer: ManagedFileWriter {
        ManagedFileWriter(places: places, declared: declared, batch: batch)
    }

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
        let opened: Descriptor
        do {
            opened = try Descriptor(
                owning: FileDescriptor.open(root, .readOnly, options: [.directory, .closeOnExec, .nonBlocking]))
        } catch {
            let errno = error as? Errno ?? .ioError
            throw SandboxError(errno, "open the root directory", area: nil, path: root.string)
        }
        declared = ManagedFileDeclarations(declarations)
        places = ManagedPlaces(
            root: opened, resolver: resolver ?? .best(for: opened.descriptor, calls: calls), calls: calls)
    }

    /// Removes the temporary files that interrupted writes have left in the directories of the declared files.
    ///
    /// - Returns: The number of removed files.
    /// - Throws: The reason why an existing directory could not be swept.
    @discardableResult
    package func sweep() throws(SandboxError) -> Int {
        var count = 0
        var elsewhere: Set<FileIdentity> = []
        for (path, own) in Dictionary(grouping: declarations, by: \.directory).ordered(by: { $0.key < $1.key }) {
            var links: [SandboxPath] = []
            count += try sweep(path) { () throws(Errno) in
                let directory = try places.open(directory: path)
                links = own.compactMap { $0.isLink ? nil : $0.file }.filter { isLink($0, in: directory) }
                return directory
            }
            // The file behind a link is written in the directory of the link's target.
            for file in links {
                count += try sweep(file) { () throws(Errno) in
                    let directory = try places.find(file, followsLast: true).directory
                    let identity = try calls.attributes(of: directory.descriptor).identity
                    return elsewhere.insert(identity).inserted ? directory : nil
                }
            }
        }
        return count
    }

    /// Returns true if a file is a link; one that cannot be inspected is reported when it is used.
    private func isLink(_ file: SandboxPath, in directory: Descriptor) -> Bool {
        guard let name = file.name else { return false }
        return (try? calls.attributes(of: FileName(name), in: directory.descriptor))?.type == .symbolicLink
    }

    private func sweep(
        _ path: SandboxPath, _ open: () throws(Errno) -> Descriptor?
    ) throws(SandboxError) -> Int {
        do throws(Errno) {
            guard let directory = try open() else { return 0 }
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
            default: throw SandboxError(error, "sweep", at: path)
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
            let opened = try places.open(directory: declaration.directory)
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
            throw SandboxError(error, "list", at: declaration.directory)
        }
        if isTooMany { throw SandboxError(.tooMany, "list", at: declaration.directory) }
        return found.ordered(by: <).map { "/" + $0.text }
    }

    /// Returns the same root with additional declarations.
    ///
    /// The additional declarations take precedence; earlier ones stay, since their files may have to be restored.
    package func declaring(_ more: [ManagedFileDeclaration]) -> ManagedFiles {
        ManagedFiles(declared: ManagedFileDeclarations(more + declarations), places: places)
    }

    private init(declared: ManagedFileDeclarations, places: ManagedPlaces) {
        self.declared = declared
        self.places = places
    }

    /// Returns the file type at a path, links followed; the path need not be declared, since no file's content is read.
    ///
    /// - Returns: The type; nil if nothing is there.
    /// - Throws: `badPath`; the reason why it could not be checked.
    package func kind(at path: String) throws(SandboxError) -> FileKind? {
        let checked = try ManagedFileDeclaration.checked(path, "inspect")
        do throws(Errno) {
            return try places.find(checked, followsLast: true).attributes?.type
        } catch {
            switch error {
            case .noSuchFileOrDirectory, .notDirectory: return nil
            // A link whose target ends in `.`, `..` or a slash.
            case .isDirectory: return .directory
            default: throw SandboxError(error, "inspect", at: checked)
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
        let isLink = declared.declaration(of: checked)?.isLink ?? false
        do throws(Errno) {
            let directory = try places.nearestDirectory(to: checked, followsLast: !isLink)
            try calls.checkAccess(to: .itself, in: directory.descriptor, writing: true)
        } catch {
            throw SandboxError(error, "write", at: checked)
        }
    }

    /// Returns true if missing parent directories of a declared file are made.
    package func makesParents(of path: String) -> Bool {
        (try? declared.declared(path, "inspect"))?.1.makesParents ?? false
    }

    /// Returns the reason why a file that was captured behind a link cannot be restored: no link leads there any more.
    ///
    /// The reason is the end of a sentence, with the remedy. It is nil if a link leads there, and for any other file.
    package func changedWay(of memento: FileMemento) -> String? {
        guard case .link = memento.way, let (checked, declaration) = try? declared.declared(memento.path, "inspect")
        else {
            return nil
        }
        do throws(SandboxError) {
            _ = try places.place(of: checked, declaration, by: memento.way, "inspect")
            return nil
        } catch {
            return error.code == .changed ? error.reason : nil
        }
    }

    /// A missing directory of a file.
    package enum MissingDirectory: Equatable, Sendable {
        /// The parent directory in the file's own path.
        case own
        /// The directory of this path, to which a link at the file's path leads; it is never made.
        case behindLink(to: String)
    }

    /// Returns the missing directory of a declared file, or of the place where it was captured; nil if none is missing,
    /// or if there is another problem.
    package func missingDirectory(of path: String, restoring memento: FileMemento? = nil) -> MissingDirectory? {
        guard let (checked, declaration) = try? declared.declared(path, "inspect") else { return nil }
        var followed: String?
        do throws(Errno) {
            _ = try places.find(
                checked, followsLast: !declaration.isLink && memento?.way != .plain, noting: &followed)
            return nil
        } catch {
            guard error == .noSuchFileOrDirectory else { return nil }
            return followed.map { .behindLink(to: "/" + $0) } ?? .own
        }
    }

    /// Returns true if a file may be managed.
    package func declares(_ path: String) -> Bool { (try? declared.declared(path, "inspect")) != nil }
}

extension ManagedFiles {
    /// Reads a declared file.
    ///
    /// - Throws: `notFound`; `tooLarge` if it exceeds the declared size; the reason why it cannot be managed.
    package func read(_ path: String) throws(SandboxError) -> ManagedFileContent {
        let (checked, declaration) = try declared.declared(path, "read")
        var way = FileMemento.Way.plain
        guard let content = try reader.content(of: checked, declaration, "read", noting: &way) else {
            throw SandboxError(.notFound, "read", at: checked)
        }
        return content
    }

    /// Reads the stamps of declared files: nil for each that is no regular file at its own path with one name, or that
    /// cannot be inspected; nil, too, on a file system of the network or of a program, whose times may be old.
    /// `fstatat(2)`
    ///
    /// - Parameter paths: The paths; those of one directory are inspected fastest if they follow each other.
    /// - Returns: The stamps, in the order of the paths.
    package func stamps(of paths: [String]) -> [FileStamp?] {
        var last: (path: SandboxPath, directory: Descriptor?)?
        return paths.map { path in
            guard let (checked, declaration) = try? declared.declared(path, "inspect"), !declaration.isLink,
                let name = checked.name
            else { return nil }
            let parent = checked.parent
            if last?.path != parent {
                let opened = try? places.open(directory: parent)
                last = (parent, opened.flatMap { clinux_sandbox_is_local($0.rawValue) == 1 ? $0 : nil })
            }
            guard let directory = last?.directory,
                let found = try? calls.attributes(of: FileName(name), in: directory.descriptor),
                found.type == .regular, found.links == 1
            else { return nil }
            return found.stamp
        }
    }

    /// Captures the state of a declared file, or its absence.
    ///
    /// - Throws: The same errors as ``read(_:)``, except for a missing file.
    package func capture(_ path: String) throws(SandboxError) -> FileMemento {
        let (checked, declaration) = try declared.declared(path, "capture")
        if declaration.isLink, let link = try reader.link(at: checked, declaration, "capture") {
            return FileMemento(path: path, state: .link(target: link.target, owner: link.owner), way: .plain)
        }
        var way = FileMemento.Way.plain
        guard let content = try reader.content(of: checked, declaration, "capture", noting: &way) else {
            return FileMemento(
                path: path, state: .absent(missingParents: try places.missingParents(of: checked, "capture")), way: way)
        }
        return FileMemento(
            path: path,
            state: .file(
                bytes: content.bytes, owner: content.owner, permissions: content.permissions,
                attributes: content.attributes), way: way)
    }

    /// Replaces the content of a declared file, or makes the file, durably; in a batch it is durable only once
    /// ``makeDurable()`` has returned.
    ///
    /// The file keeps its extended attributes, except for those that are bound to the old content. If a link itself is
    /// managed, the file replaces the link.
    ///
    /// - Parameters:
    ///   - bytes: The whole content.
    ///   - path: The absolute path as seen by the system.
    ///   - owner: The owner; nil for the present owner, or for this process's user and group.
    ///   - permissions: The permission bits; nil for the present ones, or for 0644.
    /// - Throws: `tooLarge` if it exceeds the declared size; the reason why it cannot be managed; the step that failed.
    ///   The old file is unchanged then, except if only the directory could not be flushed.
    package func write(
        _ bytes: [UInt8], to path: String, owner: FileOwner? = nil, permissions: UInt16? = nil
    ) throws(SandboxError) {
        let (checked, declaration) = try declared.declared(path, "write")
        try writer.put(
            bytes, to: checked, declaration, by: nil, owner: owner, permissions: permissions, attributes: nil, "write")
    }

    /// Flushes the directory of a declared file, so that its presence or absence survives a power cut.
    ///
    /// ``restore(_:)`` does the same at its end. Nothing is written, so it works on a read-only file system.
    ///
    /// - Throws: `notDeclared`; the reason why it cannot be managed; the reason why it could not be flushed.
    package func flush(_ path: String) throws(SandboxError) {
        let (checked, declaration) = try declared.declared(path, "flush")
        let place: ManagedPlace
        do throws(SandboxError) {
            place = try places.place(of: checked, declaration, "flush")
        } catch {
            if error.code == .notFound { return }
            throw error
        }
        do throws(Errno) {
            try writer.flushDirectory(of: place, "flush", checked, isChanged: false)
        } catch {
            throw SandboxError(error, "flush", at: checked)
        }
    }

    /// Removes a declared file; a missing file is not an error.
    ///
    /// - Throws: The reason why it cannot be managed; the reason why it could not be removed.
    package func remove(_ path: String) throws(SandboxError) {
        let (checked, declaration) = try declared.declared(path, "remove")
        try writer.remove(checked, declaration, by: nil, emptyParents: 0, "remove")
    }

    /// Restores a captured state: bytes, owner, permissions and extended attributes, or absence.
    ///
    /// Directories that were missing when the file was captured are removed again if they are empty. A link that has
    /// replaced the file since is removed or replaced; it is not followed. A file that was captured behind a link is
    /// restored only if a link still leads to it.
    ///
    /// - Throws: `notDeclared`; `changed` if a link leads elsewhere than before; the reason why it cannot be managed;
    ///   the step that failed.
    package func restore(_ memento: FileMemento) throws(SandboxError) {
        let (checked, declaration) = try declared.declared(memento.path, "restore")
        switch memento.state {
        case .absent(let missing):
            try writer.remove(checked, declaration, by: memento.way, emptyParents: missing, "restore")
        case .link(let target, let owner):
            try writer.putLink(to: target, at: checked, declaration, owner: owner, "restore")
        case .file(let bytes, let owner, let permissions, let attributes):
            try writer.put(
                bytes, to: checked, declaration, by: memento.way, owner: owner, permissions: permissions,
                attributes: attributes, "restore")
        }
    }

    /// Returns the target of a link that was declared to be managed itself; nil if there is none, or something else.
    ///
    /// - Throws: `notDeclared`; the reason why it cannot be managed.
    package func linkTarget(_ path: String) throws(SandboxError) -> String? {
        let (checked, declaration) = try declaredLink(path, "read")
        return try reader.link(at: checked, declaration, "read")?.target
    }

    /// Returns the target of a link; the path need not be declared, since it is only read.
    package func target(of path: String) -> String? {
        guard let checked = try? ManagedFileDeclaration.checked(path, "inspect"), let name = checked.name else {
            return nil
        }
        guard let directory = try? places.open(directory: checked.parent) else {
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
        try writer.putLink(to: target, at: checked, declaration, owner: nil, "link")
    }

    private func declaredLink(
        _ path: String, _ operation: String
    ) throws(SandboxError) -> (SandboxPath, ManagedFileDeclaration) {
        let (checked, declaration) = try declared.declared(path, operation)
        guard declaration.isLink else { throw SandboxError(.notDeclared, operation, at: checked) }
        return (checked, declaration)
    }

    /// Returns the same files, written in a batch.
    package func batching(_ batch: ManagedFileBatch) -> ManagedFiles {
        var files = self
        files.batch = batch
        return files
    }

    /// Ends a batch that has failed: removes the temporary files; the directories are flushed when the changes are
    /// reverted.
    package func abandon() { batch?.discard() }

    /// Ends a batch: flushes each directory in which names have changed, and removes unused temporary files.
    ///
    /// - Returns: The directories that could not be flushed, each with the last file that was changed in it; the
    ///   changes are in place, but may not survive a power cut.
    package func makeDurable() -> [(path: String, error: SandboxError)] { writer.makeDurable() }
}
