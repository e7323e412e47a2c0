package import CleatAPI

/// An event source: follows one part of the system and publishes its changes on the bus.
///
/// An observer subscribes to the kernel when it is created, so nothing that happens before ``run()`` is missed. The
/// service starts, saves and reports its observers through a list of this type.
package protocol EventObserver: Sendable {
    /// The source that its events name.
    nonisolated var source: EventSource { get }
    /// The name in `cleat status` and in messages, such as `links`.
    nonisolated var name: String { get }

    /// Reads the present state, then follows its changes until the task is cancelled.
    ///
    /// - Throws: The error that ends the observer.
    func run() async throws
    /// True if the present state has been read completely.
    var isReady: Bool { get async }
    /// Waits until the present state has been read completely, or the observer has ended.
    func waitUntilReady() async

    /// The counters for `cleat status`, in the order in which it lists them.
    var counters: [Counter] { get async }
    /// The state in a few words for `cleat status`; nil if there is no more to report than the counters.
    var summary: String? { get async }
    /// The latest problem that keeps a part from being followed, as one sentence; nil if there is none.
    var problem: String? { get async }

    /// Returns a page of the present subjects, as soon as they have been read.
    ///
    /// - Parameters:
    ///   - after: The `next` of the page before; nil for the first page.
    ///   - limit: The largest number of subjects on the page.
    /// - Returns: The subjects; none if the observer lists none.
    func inventory(after: String?, limit: Int) async -> InventoryPage

    /// Returns the present state as it is saved for the next start of the service within this boot; nil if the observer
    /// saves none.
    func savedState() async -> [UInt8]?
    /// Publishes the changes since a saved state, each event marked as restored.
    ///
    /// - Throws: ``ObserverError`` for a state that cannot be read.
    func publishChanges(since saved: [UInt8]) async throws
}

/// The defaults of an observer that lists no subjects, saves no state and has nothing to report but its counters.
extension EventObserver {
    package var summary: String? { get async { nil } }
    package var problem: String? { get async { nil } }
    package func inventory(after: String?, limit: Int) async -> InventoryPage { InventoryPage() }
    package func savedState() async -> [UInt8]? { nil }
    package func publishChanges(since saved: [UInt8]) async throws {}
}

/// A page of the present subjects of an observer.
package struct InventoryPage: Sendable {
    /// The subjects with their properties, in the observer's order.
    package var items: [(subject: String, properties: PropertyBlock)] = []
    /// The value to pass as `after` for the next page; nil on the last page.
    package var next: String?

    /// Creates a page.
    package init(items: [(subject: String, properties: PropertyBlock)] = [], next: String? = nil) {
        self.items = items
        self.next = next
    }
}

extension [Counter] {
    /// Makes counters from names and numbers, in their order.
    init(named values: KeyValuePairs<String, Int>) {
        self = values.map { Counter(name: $0.key, value: Int64($0.value)) }
    }
}

/// The state of an observer's start, and the tasks that wait for its end.
struct ReadyGate {
    /// True once the present state has been read completely.
    private(set) var isReady = false
    /// True once the observer has ended.
    private(set) var hasEnded = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Adds a task that waits; it continues at once if the gate is open.
    mutating func add(_ waiter: CheckedContinuation<Void, Never>) {
        if isReady || hasEnded { waiter.resume() } else { waiters.append(waiter) }
    }

    /// Reports that the present state has been read.
    mutating func becomeReady() {
        isReady = true
        resumeWaiters()
    }

    /// Reports that the observer has ended.
    mutating func end() {
        hasEnded = true
        resumeWaiters()
    }

    private mutating func resumeWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
