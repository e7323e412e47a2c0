import CleatJSON
import Synchronization

/// Gathers changes to the current settings for one transaction.
///
/// A read returns the value that was assigned before, or else the value in force. Nothing is validated here: the
/// service validates the whole transaction. If another transaction was committed first, the editing closure runs again
/// on the new settings, so it should read its inputs from here and have no other effects.
public struct EditableSettings: Sendable {
    private let base: SettingsView
    private var draft: SettingsView
    private var unset: Set<SettingPath> = []
    private var failure: (any Error)?
    private let unreadable = UnreadableReads()

    /// Opens settings for editing.
    package init(_ settings: SettingsView) {
        base = settings
        draft = settings
    }

    /// Opens settings for editing.
    package init(_ settings: LayeredSettings) {
        self.init(SettingsView(settings))
    }

    /// The value of a setting; assigning sets its path, and assigning nil to an optional key unsets it.
    ///
    /// A stored value that is not a valid `Value`, and a secret that the program may not read, read as the key's
    /// default; the edit then fails, since its changes were made from a wrong value. ``value(of:)`` throws the reason.
    public subscript<Value>(key: SettingKey<Value>) -> Value {
        get {
            do {
                return try value(of: key)
            } catch {
                unreadable.note(error)
                return key.defaultValue
            }
        }
        set { set(newValue, key) }
    }

    /// Reads a setting, or throws the reason why it cannot be read as the key's type.
    public func value<Value>(of key: SettingKey<Value>) throws -> Value {
        if draft.isHidden(key.path) {
            throw UnreadableSetting(path: key.path, isSecret: true, reason: "it is a secret")
        }
        do {
            return try draft.value(of: key)
        } catch {
            // The error quotes the value, which must not happen with a secret.
            let reason = draft.holdsSecret(key.path) ? "its value, a secret, is of another type" : "\(error)"
            throw UnreadableSetting(path: key.path, isSecret: false, reason: reason)
        }
    }

    /// Returns true if a layer above the schema's defaults has a value at the path.
    public func isSet<Value>(_ key: SettingKey<Value>) -> Bool {
        draft.isSet(key)
    }

    /// Removes the committed value, so that factory data and defaults are in force again.
    ///
    /// Until the transaction is committed, a read returns the key's own default.
    public mutating func unset<Value>(_ key: SettingKey<Value>) {
        write(nil, at: key.path)
    }

    /// Returns the changes made so far: the leaves that differ from the original settings.
    ///
    /// - Throws: the reason why an assigned value cannot be stored (`.nan`), why a value was not readable that the
    ///   changes may depend on, or why the changes cannot be in one set.
    public func changeSet() throws -> ChangeSet {
        if let failure { throw failure }
        let differences = SettingsTree.differences(from: base.committed, to: draft.committed)
        let set = Set(differences.filter { $0.new != nil }.map(\.path))
        var above: Set<SettingPath> = []
        for path in set {
            var next = path.parent
            while let path = next, above.insert(path).inserted { next = path.parent }
        }
        // Setting a leaf by itself removes the conflicting settings above and below it.
        var changes = differences.compactMap { difference -> Change? in
            if difference.new == nil, above.contains(difference.path) { return nil }
            if difference.new == nil, Self.isCovered(difference.path, by: set) { return nil }
            return Change(difference.path, difference.new)
        }
        // A value that another layer hides, or that is not shown, is unset by name: it may or may not be committed.
        let changed = Set(changes.map(\.path))
        for path in Array(unset).sortedPaths() where isUnknown(path) && !draft.committed.contains(path) {
            guard !changes.contains(where: { path.isPrefix(of: $0.path) }), !Self.isCovered(path, by: changed) else {
                continue
            }
            changes.append(Change(path, nil))
        }
        if !changes.isEmpty, let error = unreadable.first { throw error }
        return try ChangeSet(changes)
    }

    private func isUnknown(_ path: SettingPath) -> Bool {
        base.isHidden(path) || base.set.contains(path) && !base.committed.contains(path)
    }

    private static func isCovered(_ path: SettingPath, by set: Set<SettingPath>) -> Bool {
        var above = path.parent
        while let path = above {
            if set.contains(path) { return true }
            above = path.parent
        }
        return false
    }

    private mutating func set<Value>(_ value: Value, _ key: SettingKey<Value>) {
        do {
            let new = try JSONValue(setting: value)
            if new.isNull { return write(nil, at: key.path) }
            guard case .object = new else { return write(new, at: key.path) }
            let old = try? JSONValue(setting: draft[key])
            guard let patch = MergePatch.patch(from: old, to: new) else { return }
            write(patch, at: key.path)
        } catch {
            failure = failure ?? error.below(key.path.segments)
        }
    }

    private mutating func write(_ value: JSONValue?, at path: SettingPath) {
        do {
            let changes = try ChangeSet([Change(path, value)])
            for change in changes.changes {
                draft.apply(change)
                if change.value == nil { unset.insert(change.path) } else { unset.remove(change.path) }
            }
        } catch {
            failure = failure ?? error
        }
    }
}

/// The reason why a setting could not be read as its key's type.
package struct UnreadableSetting: Error, CustomStringConvertible {
    /// The path of the setting.
    package let path: SettingPath
    /// True if it is a secret that the program may not read.
    package let isSecret: Bool
    fileprivate let reason: String

    /// One sentence.
    package var description: String { "\(path) cannot be read: \(reason)" }
}

/// The first failed read of an edit, which the copies of its settings share.
private final class UnreadableReads: Sendable {
    private struct State {
        var first: (any Error)?
    }

    private let state = Mutex(State())

    var first: (any Error)? { state.withLock { $0.first } }

    func note(_ error: any Error) { state.withLock { $0.first = $0.first ?? error } }
}

extension LayeredSettings {
    /// The value of a setting; the key's default if the value cannot be read as the key's type.
    package subscript<Value>(key: SettingKey<Value>) -> Value {
        (try? decoded(key)) ?? key.defaultValue
    }

    /// Reads a setting; returns nil if the key's own default is in force.
    package func decoded<Value>(_ key: SettingKey<Value>) throws -> Value? {
        guard let setting = value(at: key.path), let value = setting.value else { return nil }
        if key.isOptional, setting.origin == .schemaDefault { return nil }
        return try value.decode(setting: Value.self)
    }
}

infix operator ?= : AssignmentPrecedence

/// Assigns only if the left side is nil: `settings[.splash] ?= "boot.png"`.
public func ?= <Wrapped>(left: inout Wrapped?, right: @autoclosure () throws -> Wrapped) rethrows {
    if left == nil { left = try right() }
}
