/// The counters of the store's content and of its writes (flash wear).
package struct StoreStatistics: Sendable, Equatable {
    /// The number of settings.
    package var settings: Int
    /// The number of generations in the history.
    package var generations: Int
    /// The number of the oldest generation in the history; nil if there is none.
    package var oldestGeneration: Int64?
    /// The size of the history's rows in bytes.
    package var historyBytes: Int64
    /// The number of commits since the store was opened; each step of a trial is one.
    package var commits: Int64
    /// The bytes written since the store was opened, second copies and notes of the newest generations included.
    package var bytesWritten: Int64
    /// The flushes since the store was opened, those of second copies and notes of the newest generations included.
    package var syncs: Int64
    /// The bytes written since the store was made, as far as its commits recorded them.
    package var totalBytesWritten: Int64
    /// The flushes since the store was made, as far as its commits recorded them.
    package var totalSyncs: Int64
    /// The size of the main file.
    package var fileBytes: Int64
    /// The size of the write-ahead log.
    package var logBytes: Int64
    /// The bytes free on the file system; nil if the system does not report them.
    package var freeBytes: Int64?
    /// The generation of the second copy; nil if there is none.
    package var copiedGeneration: Int64?
}
