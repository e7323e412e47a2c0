internal import CleatAPI
package import CleatIO

/// Says what a hook may write: what `writePaths` and `sandbox` of its file stand for.
package struct HookSandbox: Sendable, Hashable {
    /// The directories and files that it may write, by their absolute paths; everywhere else it may only read.
    package var writePaths: [String]
    /// Whether the hook is refused where the kernel cannot see to that.
    package var isRequired: Bool

    /// Creates a sandbox.
    package init(writePaths: [String], isRequired: Bool = true) {
        self.writePaths = writePaths
        self.isRequired = isRequired
    }

    /// Why the hook cannot run on a kernel, or nil where it can.
    package func refusal(by landlock: Landlock) -> String? {
        guard isRequired, !landlock.isSupported else { return nil }
        return "the hook is to write nothing but its writePaths, and this kernel cannot see to that since it has no "
            + "Landlock; use one that has, or write sandbox: \"best-effort\" to run the hook all the same"
    }

    /// The sandbox as it goes over the wire.
    func wire(on landlock: Landlock) -> HookSandboxInfo {
        HookSandboxInfo(writePaths: writePaths, required: isRequired, enforced: landlock.isSupported)
    }
}
