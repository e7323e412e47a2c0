internal import CleatIO
internal import SystemPackage

/// Provides all operations on the files of one area.
package struct SandboxedDirectory: Sendable {
    /// The area's open directory.
    package let root: AreaRoot

    /// Makes the facade of an open area.
    package init(_ root: AreaRoot) { self.root = root }

    /// The area.
    package var area: Area { root.area }

    /// Validates a text as a path in the area.
    ///
    /// - Throws: `badPath` with the fault.
    package func path(_ text: String) throws(SandboxError) -> SandboxPath { try SandboxPath(text) }
}

/// Lists the directories of an area.
extension SandboxedDirectory {
    /// The most entries of one page.
    package static var pageLimit: Int { 1000 }

    /// Lists a directory, sorted by the bytes of the paths, a page at a time; the facade's own files are omitted.
    ///
    /// - Parameters:
    ///   - path: The directory; by default the area.
    ///   - recursive: True to list the contents of subdirectories, too.
    ///   - limit: The most entries of the page, 1 to ``pageLimit``.
    ///   - after: The last path of the previous page; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `notDirectory`, or the reason why the directory could not be listed.
    package func list(
        _ path: SandboxPath = .root, recursive: Bool = false, limit: Int = 1000, after: SandboxPath? = nil
    ) throws(SandboxError) -> Listing {
        let directory = try root.openDirectory(path, "list")
        var page = ListingPage(limit: min(max(limit, 1), Self.pageLimit), after: after, recursive: recursive)
        do throws(Errno) {
            try page.fill(from: directory, path, calls: root.calls)
        } catch {
            throw SandboxError(error, "list", area: area, path: path.text)
        }
        return page.listing
    }
}
