/// Access to an area's directory and paths.
package protocol DirectoryNames: Sendable {
    /// The area's open directory.
    var root: AreaRoot { get }
}

extension DirectoryNames {
    /// The area.
    package var area: Area { root.area }

    /// Validates a text as a path in the area.
    ///
    /// - Throws: `badPath` with the fault.
    package func path(_ text: String) throws(SandboxError) -> SandboxPath { try SandboxPath(text) }
}
