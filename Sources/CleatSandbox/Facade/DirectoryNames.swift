/// Names an area, and paths in it.
package protocol DirectoryNames: Sendable {
    /// The area's open directory.
    var root: AreaRoot { get }
}

extension DirectoryNames {
    /// Which area it is.
    package var area: Area { root.area }

    /// Checks a text as a path in the area.
    ///
    /// - Throws: `badPath`, saying what is wrong with it.
    package func path(_ text: String) throws(SandboxError) -> SandboxPath { try SandboxPath(text) }
}
