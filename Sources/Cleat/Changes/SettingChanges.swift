import CleatJSON
public import CleatSettings
import Synchronization

/// Tells one setting's value, and then each other value that it gets.
///
/// The present value comes first. Whoever is slow gets the newest value, not all that came between: nothing is kept
/// for him. When the service is restarted, the sequence goes on with the value that holds then, if it is another one.
/// It ends when its task is cancelled, and with an error where waiting does not help.
public struct SettingChanges<Value: Codable & Sendable>: AsyncSequence, Sendable {
    /// What ends the sequence before its task is cancelled.
    public typealias Failure = CleatError

    let backend: any SettingsBackend
    let key: SettingKey<Value>

    /// Begins to follow.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: Subscription(backend, key.path), key: key)
    }

    /// Waits for values.
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
            while try await subscription.follower.wait() {
                let (json, value): (JSONValue?, Value)
                do throws(CleatError) {
                    (json, value) = try await subscription.backend.read(key)
                } catch {
                    if error.code == .cancelled { return nil }
                    guard error.code == .unreachable else { throw error }
                    subscription.backend.retell()
                    continue
                }
                guard isFirst || json != last else { continue }
                isFirst = false
                last = json
                return value
            }
            return nil
        }
    }
}

extension SettingChanges {
    /// One place among those who are told; it is given up when nobody iterates any more.
    final class Subscription: Sendable {
        let backend: any SettingsBackend
        let follower = Follower()
        private let id = SubscriptionNumber.next()

        init(_ backend: any SettingsBackend, _ path: SettingPath) {
            self.backend = backend
            backend.add(id, path, follower)
        }

        deinit { backend.remove(id) }
    }
}

/// Numbers the subscriptions of this process.
private enum SubscriptionNumber {
    private static let last = Atomic<UInt64>(0)

    static func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

extension Cleat {
    /// Follows one setting: its value now, and then each other value that it gets.
    ///
    /// ```swift
    /// for try await brightness in cleat.changes(of: .brightness) { lamp.set(brightness) }
    /// ```
    public func changes<Value>(of key: SettingKey<Value>) -> SettingChanges<Value> {
        SettingChanges(backend: backend, key: key)
    }
}
