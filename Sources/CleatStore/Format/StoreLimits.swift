/// The bounds of the store.
package struct StoreLimits: Sendable, Equatable {
    /// The number of generations that the history keeps; at least `StoreLimits.fewestGenerations`.
    package var generations: Int
    /// The bytes that the history keeps.
    package var historyBytes: Int64
    /// The bytes that should stay free on the file system; with less, each commit shortens the history.
    package var freeBytes: Int64
    /// The maximum number of settings.
    package var settings: Int
    /// The number of frames after which the write-ahead log is moved into the main file; its file has space for a few
    /// more.
    package var logFrames: Int
    /// The minimum time between two writes of the second copy, in milliseconds.
    package var copyInterval: Int64
    /// The maximum number of snapshots.
    package var snapshots: Int
    /// The maximum size of all objects of snapshots, in bytes.
    package var snapshotBytes: Int64
    /// The maximum size of all contents of documents, in force and in the history, in bytes.
    package var contentBytes: Int64

    /// Creates limits; parameters that are omitted have their default values.
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

    /// The maximum size of the results of a generation, in bytes.
    package static let resultsBytes = 16 << 10
    /// The maximum size in bytes of a file that is copied to an in-memory fallback; a copy also never takes more than
    /// half of the free memory.
    package static let fallbackBytes: Int64 = 64 << 20
    /// The number of generations that are kept whatever the bounds are, so that a retry finds its id.
    package static let fewestGenerations = 4
    /// The maximum size of a client-chosen id, in bytes.
    package static let idBytes = 64
    /// The maximum size of a snapshot's name, in bytes.
    package static let snapshotNameBytes = 64
    /// The maximum size of a hash, an author or a boot id, in bytes.
    package static let wordBytes = 256
    /// The maximum size of a comment, in bytes.
    package static let commentBytes = 1024
    /// The maximum size of one value as canonical JSON, in bytes.
    package static let valueBytes = 1 << 20
    /// The maximum number of leaves in one commit: as many as there can be, so that all can be reset.
    package static let changes = 1 << 17
    /// The maximum number of mementos, or of new origins, of one trial.
    package static let mementos = 4096
    /// The maximum size of one memento, in bytes.
    package static let mementoBytes = 1 << 20
    /// The maximum number of probes of one trial.
    package static let probes = 16
    /// The maximum size of all mementos and new origins of one trial, in bytes.
    package static let trialBytes = 16 << 20
    /// The maximum size of all origins, in bytes.
    package static let originsBytes: Int64 = 64 << 20
    /// The maximum size of a resource's name, in bytes: the longest path and the prefix for its kind.
    package static let resourceBytes = 4352
    /// The maximum size of the stored errors of a revert, in bytes; longer texts are truncated.
    package static let failureBytes = 4096
    /// The maximum number of generations on one page of the history.
    package static let page = 256
    /// The size of rows in bytes after which a page of the history ends.
    package static let pageBytes: Int64 = 256 << 10
    /// The maximum size in bytes of a change that is tried even on a full disk.
    static let smallBytes: Int64 = 16 << 10
    /// The maximum number of generations that one commit deletes from the history.
    static let pruneBatch = 64

    /// The size in bytes to which the write-ahead log's file is grown: a header, frames, and space for the commit that
    /// fills it.
    var logBytes: Int64 {
        32 + Int64(clamping: max(logFrames, 16) + 64) * (24 + Int64(StoreFormat.pageSize))
    }
}
