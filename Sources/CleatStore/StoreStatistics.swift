/// Counts what the store holds and what it has written (flash wear).
package struct StoreStatistics: Sendable, Hashable {
    /// The settings.
    package var settings: Int
    /// The generations in the history.
    package var generations: Int
    /// The oldest of them; nil where there is none.
    package var oldestGeneration: Int64?
    /// The bytes of the history's rows.
    package var historyBytes: Int64
    /// The commits since the store was opened; each step of a trial is one.
    package var commits: Int64
    /// The bytes written since the store was opened, second copy included.
    package var bytesWritten: Int64
    /// The flushes since the store was opened, second copy included.
    package var syncs: Int64
    /// The bytes written since the store was made, as far as its commits recorded them.
    package var totalBytesWritten: Int64
    /// The flushes since the store was made, as far as its commits recorded them.
    package var totalSyncs: Int64
    /// The size of the main file.
    package var fileBytes: Int64
    /// The size of the write-ahead log.
    package var logBytes: Int64
    /// The bytes free on the file system; nil where the system does not say.
    package var freeBytes: Int64?
    /// The generation of the second copy; nil where there is none.
    package var copiedGeneration: Int64?
}
