package import SystemPackage

/// Has the kernel resolve a path at once: `openat2` with RESOLVE_BENEATH, NO_SYMLINKS, NO_MAGICLINKS and NO_XDEV.
package struct Openat2Resolver: PathResolver {
    /// The resolver's name.
    package var name: String { "openat2" }

    /// Takes nothing.
    package init() {}

    /// Opens what the path leads to.
    package func open(
        _ path: SandboxPath, beneath directory: FileDescriptor, for purpose: OpenPurpose, calls: any SandboxCalls
    ) throws(Errno) -> FileDescriptor {
        let text = path.isRoot ? "." : path.text
        return try Resolvers.repeated { () throws(Errno) in
            try calls.open(text, beneath: directory, for: purpose)
        }
    }
}
