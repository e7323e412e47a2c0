internal import SystemPackage

/// Walks from the root directory to a file, one name at a time, and checks each step.
struct TrustWalk: ~Copyable {
    private let policy: TrustPolicy
    private let target: String
    /// The open directories on the way, the root directory first.
    private var directories: [Int32] = []
    /// The names of the directories, except for the root directory.
    private var names: [String] = []
    /// The remaining names, the next one last.
    private var rest: [String]

    private let purpose: TrustPolicy.Purpose
    /// The link that was followed last.
    private(set) var lastLink: String?

    init(policy: TrustPolicy, path: String, purpose: TrustPolicy.Purpose) throws(TrustError) {
        self.policy = policy
        self.purpose = purpose
        target = path
        rest = TrustWalk.components(path).reversed()
        do {
            directories = [try DirectoryCalls.openRoot()]
            try policy.check(FileStatus(of: directories[0]), at: "/", for: purpose)
        } catch let error as TrustError {
            close()
            throw error
        } catch {
            close()
            throw TrustError("/", error as? Errno ?? .ioError, "cannot be opened")
        }
    }

    mutating func close() {
        for fd in directories { DirectoryCalls.close(fd) }
        directories = []
    }

    private static func components(_ path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
    }

    private func path(with name: String? = nil) -> String {
        "/" + (names + (name.map { [$0] } ?? [])).joined(separator: "/")
    }

    private func failure(_ errno: Errno, at path: String) -> TrustError {
        let remedy =
            switch errno {
            case .noSuchFileOrDirectory: "does not exist; install it or correct the path"
            case .notDirectory: "is not a directory; correct the path"
            case .permissionDenied: "cannot be reached by the service's user; give it permission"
            default: "cannot be opened: \(errno)"
            }
        return TrustError(path, errno, remedy)
    }

    mutating func walk(linkLimit: Int, nameLimit: Int) throws(TrustError) -> TrustedFile {
        var links = 0
        var steps = 0
        while let name = rest.popLast() {
            steps += 1
            guard steps <= nameLimit else {
                throw TrustError(
                    target, .tooManySymbolicLinkLevels, "has more than \(nameLimit) names on the way; shorten it")
            }
            if name == ".." {
                if directories.count > 1 {
                    DirectoryCalls.close(directories.removeLast())
                    names.removeLast()
                }
                continue
            }
            guard let parent = directories.last else { break }
            let here = path(with: name)
            let fd: Int32
            let status: FileStatus
            do {
                fd = try DirectoryCalls.openPath(name, in: parent)
            } catch {
                throw failure(error, at: error == .notDirectory ? path() : here)
            }
            do {
                status = try FileStatus(of: fd)
                if status.kind == .other, purpose != .confining {
                    throw TrustError(here, .invalidArgument, "is not a regular file")
                }
                try policy.check(status, at: here, for: purpose)
            } catch {
                DirectoryCalls.close(fd)
                throw error as? TrustError ?? failure(error as? Errno ?? .ioError, at: here)
            }
            switch status.kind {
            case .directory:
                directories.append(fd)
                names.append(name)
            case .link where purpose == .layering && rest.isEmpty:
                return try mask(fd, at: here)
            case .link:
                defer { DirectoryCalls.close(fd) }
                links += 1
                if purpose == .reading || purpose == .secret, rest.isEmpty { throw TrustWalk.link(here) }
                guard links <= linkLimit else {
                    throw TrustError(target, .tooManySymbolicLinkLevels, "leads through more than \(linkLimit) links")
                }
                try follow(fd, at: here)
                lastLink = here
            case .file, .other:
                return try finish(fd, status, name: name, path: here)
            }
        }
        guard purpose == .listing || purpose == .confining, let last = directories.popLast() else {
            throw TrustError(path(), .isDirectory, "is a directory; name a file")
        }
        return TrustedFile(
            descriptor: Descriptor(owning: FileDescriptor(rawValue: last)), path: path(), isScript: false, size: 0)
    }

    private static func link(_ path: String) -> TrustError {
        TrustError(path, .tooManySymbolicLinkLevels, "is a symbolic link; put the file itself there")
    }

    /// Accepts a link to `/dev/null` as a mask; no other link may replace a file.
    ///
    /// It takes ownership of the link's descriptor.
    private func mask(_ link: Int32, at path: String) throws(TrustError) -> TrustedFile {
        let named = Descriptor(owning: FileDescriptor(rawValue: link))
        let destination: String
        do {
            destination = try DirectoryCalls.readLink(link)
        } catch {
            throw failure(error, at: path)
        }
        guard destination == "/dev/null" else { throw TrustWalk.link(path) }
        return TrustedFile(descriptor: named, path: path, isScript: false, size: 0, isMask: true)
    }

    private mutating func follow(_ link: Int32, at path: String) throws(TrustError) {
        let destination: String
        do {
            destination = try DirectoryCalls.readLink(link)
        } catch {
            throw failure(error, at: path)
        }
        if destination.utf8.first == UInt8(ascii: "/") {
            while directories.count > 1 { DirectoryCalls.close(directories.removeLast()) }
            names = []
        }
        rest += TrustWalk.components(destination).reversed()
    }

    /// Opens the file at the end of the path; takes ownership of its `O_PATH` descriptor.
    private func finish(
        _ fd: Int32, _ status: FileStatus, name: String, path: String
    ) throws(TrustError) -> TrustedFile {
        let named = Descriptor(owning: FileDescriptor(rawValue: fd))
        guard rest.isEmpty, purpose != .listing else { throw failure(.notDirectory, at: path) }
        if purpose == .confining {
            return TrustedFile(descriptor: named, path: path, isScript: false, size: status.size)
        }
        guard status.kind == .file, let parent = directories.last else {
            throw TrustError(path, .invalidArgument, "is not a regular file")
        }
        if purpose == .running {
            do {
                try DirectoryCalls.checkExecutable(name, in: parent)
            } catch {
                throw TrustError(path, error, "is not executable; chmod +x it")
            }
        }
        let opened: Descriptor
        do {
            opened = Descriptor(owning: FileDescriptor(rawValue: try DirectoryCalls.openFile(name, in: parent)))
        } catch {
            // A program that can be executed but not read is not a script: its interpreter could not read it either.
            guard purpose == .running, error == .permissionDenied else { throw failure(error, at: path) }
            return TrustedFile(descriptor: named, path: path, isScript: false, size: status.size)
        }
        do {
            // The name may refer to another file by now, so the opened file is checked.
            let status = try FileStatus(of: opened.rawValue)
            try policy.check(status, at: path, for: purpose)
            let magic = purpose == .running ? try SmallFile.read(opened.descriptor, upTo: 2) : []
            return TrustedFile(
                descriptor: opened, path: path, isScript: magic.elementsEqual("#!".utf8), size: status.size)
        } catch {
            throw error as? TrustError ?? failure(error as? Errno ?? .ioError, at: path)
        }
    }
}
