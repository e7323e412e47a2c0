package import SystemPackage

/// Decides which files the service trusts: those that only root and the service's own user can have written.
///
/// The file and every directory above it have to belong to root or to the service's user, and no other user may be able
/// to write to them. A sticky directory (`/tmp`) counts as safe, since an entry in it can be replaced only by its
/// owner. So does write permission for a group whose only members are root and the service's user. Links are followed
/// if they themselves are safe. Every step is made and checked by descriptor, so nothing can be exchanged in between.
package struct TrustPolicy: Sendable, Hashable {
    /// The service's user ID.
    package var user: UInt32
    /// The groups that have no other members than root and the service's user.
    package var privateGroups: Set<UInt32>
    /// A directory, as an absolute path, that links on the way to a file below it must not lead out of; nil for none.
    package var root: String?

    /// The largest number of links in the path of a file.
    private static let linkLimit = 40
    /// The largest number of names in the path of a file, including those in links.
    private static let nameLimit = 256

    /// Creates a policy.
    package init(user: UInt32, privateGroups: Set<UInt32> = [], root: String? = nil) {
        self.user = user
        self.privateGroups = privateGroups
        self.root = root
    }

    /// Makes the policy of the running process, from its user and from `/etc/passwd` and `/etc/group`.
    ///
    /// - Parameter root: The directory of a system that is configured offline.
    /// - Returns: The policy.
    package static func current(root: String? = nil) -> TrustPolicy {
        let user = ProcessSelf.uid
        let names = GroupMembership.ofSystem()
        let groups = Set([0, ProcessSelf.gid]).filter {
            names?.isPrivate(group: $0, users: [0, user]) ?? false
        }
        return TrustPolicy(user: user, privateGroups: groups, root: root)
    }

    /// The purpose of opening a file.
    package enum Purpose: Sendable, Hashable {
        /// A directory is listed.
        case listing
        /// A file is read; it must not be a link itself.
        case reading
        /// A file is read as with ``reading``, but a link to `/dev/null` may mask it.
        case layering
        /// A file that only its owner may read is read; it must not be a link itself.
        case secret
        /// A program is run.
        case running
        /// A child may write there: a file or directory of any kind and owner. Only the links in its path have to be
        /// safe, since a user who can exchange a link could redirect it anywhere.
        case confining
    }

    /// Opens a file by its absolute path after checking it and all directories above it.
    package func open(_ path: String, for purpose: Purpose) throws(TrustError) -> TrustedFile {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw TrustError(path, .invalidArgument, "is not an absolute path; begin it with /")
        }
        var walk = try TrustWalk(policy: self, path: path, purpose: purpose)
        defer { walk.close() }
        let file = try walk.walk(linkLimit: TrustPolicy.linkLimit, nameLimit: TrustPolicy.nameLimit)
        try checkPlace(of: file, named: path, link: walk.lastLink)
        return file
    }

    /// Refuses a file if links have led out of the root directory.
    private func checkPlace(of file: TrustedFile, named path: String, link: String?) throws(TrustError) {
        guard let root, let link, !file.isMask, Self.isBelow(path, root) else { return }
        // The root directory's own path may contain links.
        let top = try TrustPolicy(user: user).open(root, for: .confining).path
        guard Self.isBelow(file.path, top) else {
            throw TrustError(
                link, .notPermitted,
                "is a symbolic link that leads out of \(root); replace the link by the file itself")
        }
    }

    private static func isBelow(_ path: String, _ directory: String) -> Bool {
        path.utf8.starts(with: (directory.hasSuffix("/") ? directory : directory + "/").utf8)
    }

    /// Refuses a file or directory that other users could have written.
    func check(_ status: FileStatus, at path: String, for purpose: Purpose) throws(TrustError) {
        if purpose == .confining, status.kind != .link { return }
        guard status.user == 0 || status.user == user else {
            throw TrustError(
                path, .notPermitted,
                "belongs to user \(status.user); chown it to root" + (user == 0 ? "" : " or to user \(user)"))
        }
        if status.kind == .link { return }
        if purpose == .secret, status.kind == .file, status.mode & 0o077 != 0 {
            throw TrustError(path, .notPermitted, "can be read or written by other users; give it mode 0600")
        }
        let isSticky = status.kind == .directory && status.mode & 0o1000 != 0
        if isSticky { return }
        if status.mode & 0o002 != 0 {
            throw TrustError(path, .notPermitted, "can be written by everyone; remove that permission with chmod o-w")
        }
        if status.mode & 0o020 != 0, !privateGroups.contains(status.group) {
            throw TrustError(
                path, .notPermitted, "can be written by group \(status.group); remove that permission with chmod g-w")
        }
    }
}

/// A file that has passed the check.
package struct TrustedFile: Sendable {
    /// The open file: for reading if the service may read it, else only as a reference (`O_PATH`).
    package let descriptor: Descriptor
    /// The path with all links resolved.
    package let path: String
    /// True if it is a script, which its interpreter opens by path.
    package let isScript: Bool
    /// The size in bytes when the file was opened.
    package let size: UInt64
    /// True if it is the link to `/dev/null` that masks a file.
    package var isMask = false
}

/// The reason why a file is not trusted.
package struct TrustError: Error, Hashable, CustomStringConvertible {
    /// The file, or the directory or link on the way to it.
    package let path: String
    /// The kind of failure.
    package let errno: Errno
    /// The reason and the remedy, without the path.
    package let reason: String

    init(_ path: String, _ errno: Errno, _ reason: String) {
        self.path = path
        self.errno = errno
        self.reason = reason
    }

    package var description: String { "\(path) \(reason)" }
}
