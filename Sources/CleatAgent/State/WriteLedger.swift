import CleatAPI
import CleatIO
import CleatSandbox
import Synchronization
import SystemPackage

/// The counters of what the service writes besides its store, in this run and since they began.
///
/// The file is replaced with each second copy of the settings and at the end, and not flushed: a power cut loses what was
/// counted since then.
final class WriteLedger: Sendable {
    private struct Former {
        /// The directory of a file that was not read yet.
        var directory: FilePath?
        var since: String?
        var counts: [String: (bytes: Int64, flushes: Int64)] = [:]
    }

    /// Counts the writes of the system's files.
    let system = WriteCounter()
    /// Counts the writes of the areas of files.
    let files = WriteCounter()
    private let logged: @Sendable () -> Int64
    private let former = Mutex(Former())

    /// Creates the counters.
    ///
    /// - Parameter logged: Returns the bytes that were written to the log.
    init(logged: @escaping @Sendable () -> Int64) { self.logged = logged }

    /// The time at which the counters began, and what each part has written.
    var written: (since: String?, parts: [Written]) {
        let former = former.withLock { former in
            if let directory = former.directory { former = Self.read(in: directory) }
            return former
        }
        let parts = [
            ("system", system.bytes, system.flushes), ("files", files.bytes, files.flushes), ("log", logged(), 0),
        ].map { part, bytes, flushes in
            let before = former.counts[part] ?? (0, 0)
            return Written(
                part: part, bytes: bytes, flushes: flushes, totalBytes: before.bytes &+ bytes,
                totalFlushes: before.flushes &+ flushes)
        }
        return (former.since, parts)
    }

    /// Continues the counts of former runs, which are read when they are needed.
    func load(in directory: FilePath) {
        former.withLock { $0 = Former(directory: directory) }
    }

    /// Reads the counts of former runs; a file that is missing or damaged counts as none.
    private static func read(in directory: FilePath) -> Former {
        let bytes = (try? BoundedFile.read(file(in: directory), limit: 1_024)) ?? []
        var read = Former()
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == "since", WallTime(String(words[1])) != nil {
                read.since = String(words[1])
            } else if words.count == 3, let bytes = Int64(words[1]), let flushes = Int64(words[2]), bytes >= 0,
                flushes >= 0
            {
                read.counts[String(words[0])] = (bytes, flushes)
            }
        }
        return read
    }

    /// Writes the counts.
    ///
    /// - Throws: `FileError` if the file could not be written.
    func save(in directory: FilePath) throws(FileError) {
        let (since, parts) = written
        let begin = since ?? WallTime.now().description
        former.withLock { $0.since = begin }
        let lines = ["since \(begin)"] + parts.map { "\($0.part) \($0.totalBytes) \($0.totalFlushes)" }
        try BoundedFile.replace(Self.file(in: directory), with: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    private static func file(in directory: FilePath) -> FilePath { directory.appending("written") }
}
