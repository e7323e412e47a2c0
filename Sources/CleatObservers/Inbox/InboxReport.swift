internal import SystemPackage

/// Bounds what following the inbox may take.
package struct InboxLimits: Sendable, Hashable {
    /// The largest number of directories that are watched, the inbox itself included.
    package var directories = 256
    /// The largest number of files that are remembered; one beyond it may be told twice after events were lost.
    package var remembered = 131_072
    /// How many events, and how many names, are looked at before everything else has its turn.
    package var slice = 32
    /// How many bytes of events are taken from the kernel at once.
    package var readBytes = 16 * 1_024
    /// How many names that are refused are said in a row; the rest is counted.
    package var refusalsSaid = 16
    /// How long after a look a file that was being written is looked at once more, in case that its writer's close came
    /// before the watch and was counted only after the look; and how long an empty file that a look finds may be about
    /// to be written by whoever made it.
    package var secondLook = Duration.seconds(5)

    /// Makes the usual limits.
    package init() {}
}

/// What the observer of the inbox has counted.
package struct InboxCounters: Sendable, Hashable {
    /// Files that were told.
    package var arrived = 0
    /// Files and directories that were not told because of their names.
    package var refused = 0
    /// Directories that were left unwatched, for a limit or an error.
    package var unwatched = 0
    /// How often the kernel's queue was full, so that everything was looked at again.
    package var overflows = 0
    /// Files that were told but not remembered.
    package var unremembered = 0
    /// Directories that are watched.
    package var directories = 0
}

/// How the inbox is followed.
package enum InboxState: Sendable, Hashable, CustomStringConvertible {
    /// Nothing was looked at yet.
    case starting
    /// Arrivals are told.
    case watching(directories: Int)
    /// The directory is not there; it is watched for.
    case waiting(String)
    /// Arrivals are not told, for this reason.
    case off(String)

    /// A few words, for a person.
    package var description: String {
        switch self {
        case .starting: "starting"
        case .watching(let count): "inotify, \(count) director\(count == 1 ? "y" : "ies")"
        case .waiting(let path): "waiting for \(path) to come back"
        case .off(let reason): "off: \(reason)"
        }
    }
}

/// Something about the inbox that a person should know.
package struct InboxNotice: Sendable, Hashable, CustomStringConvertible {
    /// Whether something does not work as it should.
    package let isProblem: Bool
    /// One sentence.
    package let description: String
}

/// Why a look at a file or directory was made; it shows in what is told.
enum InboxReason: Sendable {
    /// The service starts.
    case start
    /// The directory is new.
    case appeared
    /// Events were lost.
    case overflow
    /// A file was being written at the last look.
    case secondLook
}
