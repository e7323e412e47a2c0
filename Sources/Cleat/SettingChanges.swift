import CleatJSON
import CleatSettings
import Synchronization

/// The sequence of one setting's values: the present one, and then each new one.
///
/// A slow reader gets only the newest value; values in between are dropped, not buffered. After a restart of the
/// service, the sequence continues with the present value if it differs from the last one. It ends when its task is
/// cancelled, and throws if waiting cannot help.
public struct SettingChanges<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// The error that ends the sequence before its task is cancelled.
    public typealias Failure = CleatError

    let backend: any SettingsBackend
    let key: SettingKey<Value>

    /// Subscribes to the setting.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: Subscription(backend, key.path), key: key)
    }

    /// Iterates over the setting's values.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription
        let key: SettingKey<Value>
        private var last: JSONValue?
        private var isFirst = true

        init(subscription: Subscription, key: SettingKey<Value>) {
            self.subscription = subscription
            self.key = key
        }

        /// Waits for the next value; nil once the task is cancelled.
        public mutating func next() async throws(CleatError) -> Value? {
            try await next(isolation: nil)
        }

        /// Waits for the next value; nil once the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(CleatError) -> Value? {
            let (subscription, key) = (subscription, key)
            let former = isFirst ? nil : Optional(last)
            let found = try await subscription.observer.nextValue(
                isOld: { $0.json == former }, again: subscription.backend.notifyAgain
            ) { () throws(CleatError) in try await subscription.backend.read(key) }
            guard let found else { return nil }
            isFirst = false
            last = found.json
            return found.value
        }
    }
}

extension SettingChanges {
    /// One subscription to a path; it ends when no iterator holds it any more.
    final class Subscription: Sendable {
        let backend: any SettingsBackend
        let observer = ChangeObserver()
        private let id = SubscriptionNumber.next()

        init(_ backend: any SettingsBackend, _ path: SettingPath) {
            self.backend = backend
            backend.add(id, path, observer)
        }

        deinit { backend.remove(id) }
    }
}

/// Numbers the subscriptions of this process.
private enum SubscriptionNumber {
    private static let last = Atomic<UInt64>(0)

    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
