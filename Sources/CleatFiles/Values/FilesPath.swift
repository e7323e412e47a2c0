import CleatSandbox

/// The path of a file or directory: a relative path that has been validated as text.
///
/// It has at most 16 names of 1 to 255 bytes, at most 1,024 bytes in all, valid UTF-8, no control characters, no name
/// `.` or `..`, no leading, trailing or doubled slash, and no name that begins with `.cleat-`, which is reserved for
/// temporary files.
public struct FilesPath: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The path of the top directory.
    public static let root = FilesPath(.root)

    let checked: SandboxPath

    init(_ checked: SandboxPath) { self.checked = checked }

    /// Validates a text; an empty text is the top directory.
    ///
    /// - Throws: ``FilesError``: `badPath` with the fault.
    public init(_ text: String) throws(FilesError) {
        checked = try FilesError.mapping { () throws(SandboxError) in try SandboxPath(text) }
    }

    /// The path as text; empty for the top directory.
    public var description: String { checked.text }

    /// The names from the top directory down.
    public var names: [String] { checked.names }

    /// The last name; nil for the top directory.
    public var name: String? { checked.name }

    /// The parent directory; the top directory is its own parent.
    public var parent: FilesPath { FilesPath(checked.parent) }

    /// Returns the path of a name in this directory.
    ///
    /// - Throws: ``FilesError``: `badPath` if the name is not valid or the path is too long.
    public func appending(_ name: String) throws(FilesError) -> FilesPath {
        FilesPath(try FilesError.mapping { () throws(SandboxError) in try checked.appending(name) })
    }

    /// Returns the path with the extension of its last name replaced, or removed for nil; a leading dot starts no
    /// extension.
    ///
    /// - Throws: ``FilesError``: `badPath` if the new name is not valid.
    public func withExtension(_ fileExtension: String?) throws(FilesError) -> FilesPath {
        FilesPath(try FilesError.mapping { () throws(SandboxError) in try checked.withExtension(fileExtension) })
    }

    /// Returns true if it is `directory`, or in it at any depth.
    public func isWithin(_ directory: FilesPath) -> Bool { checked.isWithin(directory.checked) }

    /// Returns true if the first path sorts before the second one by bytes.
    public static func < (left: FilesPath, right: FilesPath) -> Bool { left.checked < right.checked }
}
