/// Provides all operations on the files of one area.
package struct SandboxedDirectory: FileStatus, FileReading, FileManipulation, FileListing {
    /// The area's open directory.
    package let root: AreaRoot

    /// Makes the facade of an open area.
    package init(_ root: AreaRoot) { self.root = root }
}
