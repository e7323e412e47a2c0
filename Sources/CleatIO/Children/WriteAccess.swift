package import SystemPackage

/// The places that a child process and all its descendants may write; everywhere else they may only read.
///
/// Descriptors that the child inherits, such as its output, are not restricted, and neither is `/dev/null`. Operations
/// that Landlock does not cover are not restricted: owner, mode and times of files, and writes by other processes on
/// the child's request.
package struct WriteAccess: Sendable, Hashable {
    /// A place that may be written.
    package enum Place: Sendable, Hashable {
        /// A directory with all below it, or a file, given by its path; links are followed.
        case path(FilePath)
        /// An open file or directory, so that the one that was checked is the one that may be written; `name` is for
        /// messages.
        case descriptor(FileDescriptor, name: String)

        /// The path or the name.
        package var name: String {
            switch self {
            case .path(let path): path.string
            case .descriptor(_, let name): name
            }
        }
    }

    /// The places that may be written.
    package var places: [Place]
    /// True if a kernel without Landlock is an error; otherwise the child is not restricted on such a kernel.
    package var isRequired: Bool
    /// The Landlock version to use; a test may pass an older one.
    package var landlock: Landlock

    /// Makes an access.
    package init(_ places: [Place], isRequired: Bool = true, landlock: Landlock = .current) {
        self.places = places
        self.isRequired = isRequired
        self.landlock = landlock
    }
}
