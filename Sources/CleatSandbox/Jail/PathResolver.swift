package import SystemPackage

/// Opens a path beneath a directory without following symbolic links or crossing into other mounts.
///
/// Whatever other programs exchange meanwhile, the opened file was beneath the directory.
package protocol PathResolver: Sendable {
    /// The resolver's name, for `status`.
    var name: String { get }

    /// Opens a path.
    ///
    /// - Throws: The system's error: `ELOOP` if the path contains a link, `EXDEV` if it crosses a mount, `EAGAIN` if
    ///   directories were renamed repeatedly meanwhile.
    func open(
        _ path: SandboxPath, beneath directory: FileDescriptor, for purpose: OpenPurpose, calls: any SandboxCalls
    ) throws(Errno) -> FileDescriptor
}

/// Chooses the resolver for the running kernel.
package enum Resolvers {
    /// The best resolver on this kernel, determined once.
    package static let best: any PathResolver = find(calls: SystemFileCalls())

    /// Checks if the kernel has `openat2`, which is missing before Linux 5.6, under some seccomp filters and in
    /// qemu-user.
    package static func find(calls: some SandboxCalls) -> any PathResolver {
        do throws(Errno) {
            let root = try calls.open(FileName("/"), in: FileDescriptor(rawValue: -1), for: .pass)
            defer { try? calls.close(root) }
            try calls.close(calls.open(".", beneath: root, for: .inspect))
            return Openat2Resolver()
        } catch {
            return WalkingResolver()
        }
    }

    /// The most attempts of an open that is interrupted or loses a race with a rename.
    static let attempts = 64

    /// Repeats a call that fails with `EINTR` or `EAGAIN`, a limited number of times.
    static func repeated<Value>(_ call: () throws(Errno) -> Value) throws(Errno) -> Value {
        var attempt = 1
        while true {
            do throws(Errno) {
                return try call()
            } catch {
                guard error == .interrupted || error == .wouldBlock, attempt < attempts else { throw error }
                attempt += 1
            }
        }
    }
}

/// Resolves a path in one system call: `openat2` with RESOLVE_BENEATH, NO_SYMLINKS, NO_MAGICLINKS and NO_XDEV.
package struct Openat2Resolver: PathResolver {
    /// The resolver's name.
    package var name: String { "openat2" }

    /// Makes the resolver.
    package init() {}

    /// Opens a path.
    package func open(
        _ path: SandboxPath, beneath directory: FileDescriptor, for purpose: OpenPurpose, calls: any SandboxCalls
    ) throws(Errno) -> FileDescriptor {
        let text = path.isRoot ? "." : path.text
        return try Resolvers.repeated { () throws(Errno) in
            try calls.open(text, beneath: directory, for: purpose)
        }
    }
}
