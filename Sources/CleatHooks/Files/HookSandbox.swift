internal import CleatAPI
package import CleatIO

/// The places that a hook may write, from `writePaths` and `sandbox` of its file.
package struct HookSandbox: Sendable, Equatable {
    /// The directories and files that it may write, by their absolute paths; everywhere else it may only read.
    package var writePaths: [String]
    /// True if the hook is refused on a kernel that cannot enforce the restriction.
    package var isRequired: Bool

    /// Creates a sandbox.
    package init(writePaths: [String], isRequired: Bool = true) {
        self.writePaths = writePaths
        self.isRequired = isRequired
    }

    /// Returns the reason why the hook cannot run on a kernel; nil if it can.
    package func refusal(by landlock: Landlock) -> String? {
        guard isRequired, !landlock.isSupported else { return nil }
        return "the hook may write only to its writePaths, and this kernel cannot enforce that since it has no "
            + "Landlock; use one that has, or write sandbox: \"best-effort\" to run the hook all the same"
    }

    /// Returns the sandbox as it is sent to clients.
    func wire(on landlock: Landlock) -> HookSandboxInfo {
        HookSandboxInfo(writePaths: writePaths, required: isRequired, enforced: landlock.isSupported)
    }
}
