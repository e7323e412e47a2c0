/// Does everything that can be done with the files of one area.
package struct SandboxedDirectory: FileStatus, FileReading, FileManipulation, FileListing {
    /// The area's open directory.
    package let root: AreaRoot

    /// Takes an open area.
    package init(_ root: AreaRoot) { self.root = root }
}
