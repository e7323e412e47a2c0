/// Bounds what the store keeps and takes.
package struct StoreLimits: Sendable, Hashable {
    /// The generations that the history keeps; at least `StoreLimits.fewestGenerations`.
    package var generations: Int
    /// The bytes that the history keeps.
    package var historyBytes: Int64
    /// The bytes that should stay free on the file system; with less, each commit makes history shorter.
    package var freeBytes: Int64
    /// The settings that the store takes.
    package var settings: Int
    /// The frames after which the write-ahead log is moved into the main file; its file has room for a few more.
    package var logFrames: Int
    /// The least time between two writes of the second copy, in milliseconds.
    package var copyInterval: Int64
    /// The snapshots that the store holds.
    package var snapshots: Int
    /// The bytes of all objects of snapshots.
    package var snapshotBytes: Int64
    /// The bytes of what documents hold, now and in history.
    package var contentBytes: Int64

    /// Makes limits; what is not named has its usual value.
    package init(
        generations: Int = 1000, historyBytes: Int64 = 4 << 20, freeBytes: Int64 = 1 << 20, settings: Int = 1 << 17,
        logFrames: Int = 1000, copyInterval: Int64 = 3_600_000, snapshots: Int = 64, snapshotBytes: Int64 = 16 << 20,
        contentBytes: Int64 = 16 << 20
    ) {
        self.contentBytes = contentBytes
        self.generations = generations
        self.historyBytes = historyBytes
        self.freeBytes = freeBytes
        self.settings = settings
        self.logFrames = logFrames
        self.copyInterval = copyInterval
        self.snapshots = snapshots
        self.snapshotBytes = snapshotBytes
    }

    /// The bytes of the text that says what came of a generation.
    package static let resultsBytes = 16 << 10
    /// The bytes of a file that is copied to memory, where a store cannot be opened; it also leaves half of the memory's
    /// room free.
    package static let standInBytes: Int64 = 64 << 20
    /// The generations that are kept whatever the bounds say, so that a retry finds its id.
    package static let fewestGenerations = 4
    /// The bytes of a client-chosen id.
    package static let idBytes = 64
    /// The bytes of a snapshot's name.
    package static let snapshotNameBytes = 64
    /// The bytes of a hash, an author or a boot id.
    package static let wordBytes = 256
    /// The bytes of a comment.
    package static let commentBytes = 1024
    /// The bytes of one value, as canonical JSON.
    package static let valueBytes = 1 << 20
    /// The leaves that one commit may change: all that there can be, so that all can be reset.
    package static let changes = 1 << 17
    /// The mementos, or new origins, of one trial.
    package static let mementos = 4096
    /// The bytes of one memento.
    package static let mementoBytes = 1 << 20
    /// The probes of one trial.
    package static let probes = 16
    /// The bytes of all mementos and new origins of one trial.
    package static let trialBytes = 16 << 20
    /// The bytes of all origins.
    package static let originsBytes: Int64 = 64 << 20
    /// The bytes of a resource's name: the longest path, and what tells of which kind it is.
    package static let resourceBytes = 4352
    /// The bytes that are kept of what went wrong on the way back; the rest is left out.
    package static let failureBytes = 4096
    /// The generations that one page of the history holds at most.
    package static let page = 256
    /// The bytes of rows after which a page of the history ends.
    package static let pageBytes: Int64 = 256 << 10
    /// The bytes of a change that is tried on a full disk too.
    static let smallBytes: Int64 = 16 << 10
    /// The generations that one commit takes from the history at most.
    static let pruneBatch = 64

    /// The bytes that the write-ahead log's file is grown to: a header, frames, and room for the commit that fills it.
    var logBytes: Int64 {
        32 + Int64(clamping: max(logFrames, 16) + 64) * (24 + Int64(StoreFormat.pageSize))
    }
}
