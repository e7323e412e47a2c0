public import CleatSandbox

/// One entry of a directory.
public struct FilesEntry: Sendable, Hashable {
    /// The path.
    public var path: FilesPath
    /// The attributes.
    public var attributes: FileAttributes

    /// Makes an entry.
    public init(path: FilesPath, attributes: FileAttributes) {
        self.path = path
        self.attributes = attributes
    }
}

/// A page of a directory's entries, sorted by the bytes of their paths.
public struct FilesPage: Sendable, Hashable {
    /// The most entries of one page.
    public static let limit = 1000

    /// The entries.
    public var entries: [FilesEntry]
    /// True if there are more entries after the last one; the next page starts after it.
    public var hasMore: Bool
    /// The number of omitted entries whose names are not valid; a recursive removal of the directory removes them.
    public var unnameable: Int

    /// Makes a page.
    public init(entries: [FilesEntry], hasMore: Bool = false, unnameable: Int = 0) {
        self.entries = entries
        self.hasMore = hasMore
        self.unnameable = unnameable
    }
}

/// A file that was completely written into a directory, or the loss of such reports.
public enum FilesArrival: Sendable, Hashable {
    /// A regular file was closed after writing, or moved into the directory. It is reported each time; a file that is
    /// written under a temporary name and then renamed, once, under its last name.
    case file(FilesEntry)
    /// A file whose name is not valid as a path; the error shows the name.
    case refused(FilesError)
    /// The system's queue was full, and an unknown number of files was not reported: list the directory.
    case lost
}

/// A sequence of elements that are fetched when the caller asks for them; it ends when its task is cancelled.
public struct FilesSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// The error that ends the sequence.
    public typealias Failure = FilesError
    /// Returns the next element; nil after the last.
    public typealias Next = () async throws(FilesError) -> Element?

    private let start: @Sendable () -> Next

    /// Makes a sequence, in a program's own implementation of the protocols, from a function that starts one iteration.
    public init(_ start: @escaping @Sendable () -> Next) { self.start = start }

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(fetch: start()) }

    /// Iterates over the elements.
    public struct Iterator: AsyncIteratorProtocol {
        let fetch: Next

        /// Returns the next element; nil after the last, and once the task is cancelled.
        public mutating func next() async throws(FilesError) -> Element? { try await next(isolation: nil) }

        /// Returns the next element; nil after the last, and once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(FilesError) -> Element? {
            do throws(FilesError) {
                return try await fetch()
            } catch {
                if error.code == .cancelled { return nil }
                throw error
            }
        }
    }
}
