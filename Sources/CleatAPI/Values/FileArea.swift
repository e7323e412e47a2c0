/// An area of files: its usage and its limits.
package struct FileArea: Codable, Hashable, Sendable {
    /// The name.
    package var name: String
    /// The space that the files use, in bytes.
    package var bytes: Int64
    /// The number of files and directories.
    package var files: Int64
    /// The quota of space, in bytes.
    package var quotaBytes: Int64
    /// The quota of files and directories.
    package var quotaFiles: Int64
    /// The free space of the file system, in bytes.
    package var freeBytes: Int64
    /// The number of uploads that are not committed yet.
    package var uploads: Int
    /// The reason why the area could not be opened; nil if it is open.
    package var problem: String?

    /// Creates a description.
    package init(
        name: String, bytes: Int64 = 0, files: Int64 = 0, quotaBytes: Int64 = 0, quotaFiles: Int64 = 0,
        freeBytes: Int64 = 0, uploads: Int = 0, problem: String? = nil
    ) {
        self.name = name
        self.bytes = bytes
        self.files = files
        self.quotaBytes = quotaBytes
        self.quotaFiles = quotaFiles
        self.freeBytes = freeBytes
        self.uploads = uploads
        self.problem = problem
    }

    private enum CodingKeys: String, CodingKey {
        case name
        case bytes
        case files
        case quotaBytes = "quota_bytes"
        case quotaFiles = "quota_files"
        case freeBytes = "free_bytes"
        case uploads
        case problem
    }
}
