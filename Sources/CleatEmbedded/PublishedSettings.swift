public import Cleat
package import CleatSettings
import Synchronization

/// The settings in force, as they are read without waiting.
@usableFromInline final class PublishedSettings: Sendable {
    private struct State {
        var settings: LayeredSettings
        /// The number of times that settings were published.
        var revision = 0
        /// The decoded values of keys, by their literals; a value of nil stands for the key's own default.
        var values: [SettingKeyLiteral: any Sendable & AnyObject] = [:]
        var view: SettingsView?
    }

    /// A decoded value.
    @usableFromInline final class Decoded<Value: Sendable>: Sendable {
        @usableFromInline let value: Value?

        init(_ value: Value?) { self.value = value }
    }

    private let state: Mutex<State>

    /// Publishes the defaults of a schema.
    init(schema: Schema) { state = Mutex(State(settings: LayeredSettings(schema: schema))) }

    /// Publishes other settings.
    func replace(_ settings: LayeredSettings) {
        // The former state is released after the lock.
        _ = state.withLock { state in
            let former = state
            state = State(settings: settings, revision: former.revision + 1)
            return former
        }
    }

    /// The settings as a view.
    var view: SettingsView {
        let (settings, revision, known) = state.withLock { ($0.settings, $0.revision, $0.view) }
        if let known { return known }
        let view = SettingsView(settings)
        state.withLock { state in
            // Other settings may have been published meanwhile.
            if state.revision == revision { state.view = view }
        }
        return view
    }

    /// Reads one setting.
    ///
    /// It is compiled into the program, for the type of the key: generic code takes most of the time of a read.
    @inlinable func value<Value>(of key: SettingKey<Value>) throws(CleatError) -> Value {
        if let literal = key.literal, let known = decoded(literal) as? Decoded<Value> {
            return known.value ?? key.defaultValue
        }
        return try read(key)
    }

    /// Returns the decoded value of a literal; nil if it was not read yet.
    @usableFromInline func decoded(_ literal: SettingKeyLiteral) -> (any Sendable & AnyObject)? {
        state.withLock { $0.values[literal] }
    }

    /// Reads one setting, and keeps its decoded value.
    @usableFromInline func read<Value>(_ key: SettingKey<Value>) throws(CleatError) -> Value {
        let (settings, revision) = state.withLock { ($0.settings, $0.revision) }
        let decoded = Decoded(try Self.decoded(key, in: settings))
        if let literal = key.literal {
            state.withLock { state in
                // Other settings may have been published meanwhile.
                if state.revision == revision { state.values[literal] = decoded }
            }
        }
        return decoded.value ?? key.defaultValue
    }

    private static func decoded<Value>(
        _ key: SettingKey<Value>, in settings: LayeredSettings
    ) throws(CleatError) -> Value? {
        guard settings.schema.lookup(key.path) != nil else {
            throw CleatError(
                .refused, "\(key.path) is not a setting of this store", remedy: "open the store with this key, too")
        }
        do {
            return try settings.decoded(key)
        } catch {
            // The error quotes the value, which must not happen with a secret.
            let reason = settings.schema.hides(key.path) ? "" : ": \(error)"
            throw CleatError(
                .mismatch, "the value of \(key.path) cannot be read as \(Value.self)\(reason)",
                remedy: "read it with the key that the store was opened with")
        }
    }
}
