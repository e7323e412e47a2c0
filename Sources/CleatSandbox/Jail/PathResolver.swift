package import SystemPackage

/// Opens what a path leads to beneath a directory, through no symbolic link and onto no other mount.
///
/// Whatever other programs exchange meanwhile, what is opened was beneath the directory.
package protocol PathResolver: Sendable {
    /// The resolver's name, for `status`.
    var name: String { get }

    /// Opens what the path leads to.
    ///
    /// - Throws: the system's error: `ELOOP` where a link stands in the way, `EXDEV` where a mount does, `EAGAIN` where
    ///   directories were renamed again and again meanwhile.
    func open(
        _ path: SandboxPath, beneath directory: FileDescriptor, for purpose: OpenPurpose, calls: any SandboxCalls
    ) throws(Errno) -> FileDescriptor
}

/// Chooses the resolver for the kernel that runs.
package enum Resolvers {
    /// The best resolver of this kernel, found once.
    package static let best: any PathResolver = find(calls: SystemFileCalls())

    /// Asks the kernel whether it has `openat2`: before Linux 5.6, under some seccomp filters and in qemu-user it has not.
    package static func find(calls: some SandboxCalls) -> any PathResolver {
        do throws(Errno) {
            let root = try calls.open(FileName("/"), in: FileDescriptor(rawValue: -1), for: .pass)
            defer { try? calls.close(root) }
            try calls.close(calls.open(".", beneath: root, for: .look))
            return Openat2Resolver()
        } catch {
            return WalkingResolver()
        }
    }

    /// How often an open is made again that was interrupted, or that lost a race with a rename.
    static let attempts = 64

    /// Repeats what the kernel asks to be repeated, a bounded number of times.
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
