import Synchronization

/// A bounded queue from one producer to the reader of one sequence; the oldest elements are dropped while it is full, so
/// that a slow reader does not delay the producer.
///
/// It may be read by several tasks; each element reaches one of them.
package final class Mailbox<Element: Sendable>: Sendable {
    @safe
    private struct State {
        var elements: [Element] = []
        /// The number of elements that were dropped since the last one was taken.
        var dropped = 0
        var isClosed = false
        var failure: CleatError?
        var readers: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastReader: UInt64 = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty mailbox for at least one element.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Adds an element, and drops the oldest one if there is no space.
    func put(_ element: Element) {
        wake { state in
            guard !state.isClosed else { return }
            if state.elements.count == capacity {
                state.elements.removeFirst()
                state.dropped += 1
            }
            state.elements.append(element)
        }
    }

    /// Ends the sequence with an error once all elements are read; the first error is kept.
    package func fail(_ error: CleatError) { wake { $0.failure = $0.failure ?? error } }

    /// Ends the sequence once all elements are read.
    func close() { wake { $0.isClosed = true } }

    /// Waits for the next element.
    ///
    /// - Returns: the element, and the number of elements that were dropped before it; nil if the mailbox is closed or
    ///   the task is cancelled.
    /// - Throws: the error that ends the sequence.
    func next() async throws(CleatError) -> (element: Element, dropped: Int)? {
        switch await step() {
        case .element(let element, let dropped): return (element, dropped)
        case .failure(let error): throw error
        case .end: return nil
        }
    }

    /// The next thing that a reader gets.
    enum Step {
        /// An element, and the number of elements that were dropped before it.
        case element(Element, dropped: Int)
        /// The error that ends the sequence.
        case failure(CleatError)
        /// The mailbox is closed, or the task is cancelled.
        case end
    }

    /// Waits for the next element, or for the end.
    func step() async -> Step {
        while !Task.isCancelled {
            let found = state.withLock { state -> Step? in
                if state.elements.isEmpty { return state.failure.map(Step.failure) ?? (state.isClosed ? .end : nil) }
                defer { state.dropped = 0 }
                return .element(state.elements.removeFirst(), dropped: state.dropped)
            }
            if let found { return found }
            await wait()
        }
        return .end
    }

    private func wait() async {
        let reader = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if !state.elements.isEmpty || state.isClosed || state.failure != nil || Task.isCancelled {
                        return true
                    }
                    state.readers[reader] = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { $0.readers.removeValue(forKey: reader) }
            waiting?.resume()
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        for reader in waiting { reader.resume() }
    }
}

/// The notices of possible changes, merged into one while the reader is busy; it then reads the present value.
package typealias ChangeObserver = Mailbox<Void>

extension Mailbox where Element == Void {
    /// Creates a mailbox for one notice.
    convenience init() { self.init(capacity: 1) }

    /// Notifies the reader of a possible change.
    package func note() { put(()) }

    /// Waits for a notice, and reads the present value; repeats this until the value is new.
    ///
    /// - Parameters:
    ///   - isOld: returns true for a value that the reader has already.
    ///   - again: asks for another notice, after a read has failed because the service could not be reached.
    ///   - read: reads the present value.
    /// - Returns: the value; nil once the task is cancelled.
    /// - Throws: the error that ends the sequence.
    func nextValue<Value>(
        isOld: (Value) -> Bool, again: () -> Void, read: () async throws(CleatError) -> Value
    ) async throws(CleatError) -> Value? {
        while try await next() != nil {
            let value: Value
            do throws(CleatError) {
                value = try await read()
            } catch {
                if error.code == .cancelled { return nil }
                guard error.code == .unreachable else { throw error }
                again()
                continue
            }
            if !isOld(value) { return value }
        }
        return nil
    }
}
