internal import Synchronization

/// A value that a service has found out about the client of a connection, and that holds as long as the connection.
package final class ConnectionMemo: Sendable {
    /// A value of its own type, so that an optional one is known, too, if it is nil.
    private struct Known<Value: Sendable>: Sendable {
        let value: Value
    }

    private let kept = Mutex<(any Sendable)?>(nil)

    /// Creates an empty memo.
    package init() {}

    /// Returns the value, which is found out by the first call.
    package func value<Value: Sendable>(_ find: () -> Value) -> Value {
        if let kept = kept.withLock({ $0 }), let known = kept as? Known<Value> { return known.value }
        let value = find()
        kept.withLock { $0 = Known(value: value) }
        return value
    }
}
