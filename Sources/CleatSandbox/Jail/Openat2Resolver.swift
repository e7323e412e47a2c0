package import SystemPackage

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
