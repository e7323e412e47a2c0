package import SystemPackage

/// Names the places that a child process and all that it starts may write; everywhere else they may only read.
///
/// Descriptors that it is started with, such as its output, are not concerned, and neither is `/dev/null`. What Landlock
/// does not know stays free: owner, mode and times of files, and other processes that can be asked to write.
package struct WriteAccess: Sendable, Hashable {
    /// A place that may be written.
    package enum Place: Sendable, Hashable {
        /// A directory with all below it, or a file, by its path; links are followed.
        case path(FilePath)
        /// One that is open, so that what was checked is what may be written; `name` is for messages.
        case descriptor(FileDescriptor, name: String)

        /// The path or the name.
        package var name: String {
            switch self {
            case .path(let path): path.string
            case .descriptor(_, let name): name
            }
        }
    }

    /// The places.
    package var places: [Place]
    /// Whether a kernel without Landlock is an error; where it is not, the child may write everywhere there.
    package var isRequired: Bool
    /// What the kernel can do; a test may claim that it can do less.
    package var landlock: Landlock

    /// Makes an access.
    package init(_ places: [Place], isRequired: Bool = true, landlock: Landlock = .current) {
        self.places = places
        self.isRequired = isRequired
        self.landlock = landlock
    }
}
