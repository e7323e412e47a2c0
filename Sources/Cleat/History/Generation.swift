import CleatAPI
public import CleatJSON
public import CleatSettings

/// A change of one setting's stored value.
public struct ValueChange: Hashable, Sendable, CustomStringConvertible {
    /// The path of the setting.
    public let path: String
    /// The value before; nil if it was not set, or is a secret.
    public let old: JSONValue?
    /// The value after; nil if it is not set, or is a secret.
    public let new: JSONValue?

    init(_ record: ChangeRecord) {
        path = record.path
        old = record.old
        new = record.new
    }

    /// The change as text: `lamp/brightness: 80 -> 10`.
    public var description: String {
        func text(_ value: JSONValue?) -> String { value.map { $0.stringValue ?? $0.canonicalText } ?? "unset" }
        return "\(path): \(text(old)) -> \(text(new))"
    }
}

/// One generation of the settings' history; see ``Cleat/history(before:limit:)``.
///
/// The order of generations is that of their numbers, never that of a clock.
public struct HistoryEntry: Hashable, Sendable {
    /// The state of a generation.
    public enum State: Hashable, Sendable {
        /// It was confirmed, or never on trial.
        case confirmed
        /// It is on trial.
        case pending
        /// It was on trial and was reverted.
        case reverted
        /// It was restored from the second copy of the store, or after the store's log was lost or damaged.
        case restored
    }

    /// The number of the generation.
    public let generation: Int64
    /// The id of the change that made it.
    public let id: String
    /// The time of the commit, which is right only if the board's clock was set; nil if the service sent none.
    public let time: Timestamp?
    /// The user who made it.
    public let author: String
    /// The author's comment; nil if there is none.
    public let comment: String?
    /// The state.
    public let state: State
    /// The changes, in order of their paths.
    public let changes: [ValueChange]
    /// The number of further changes, which did not fit into the service's reply.
    public let omitted: Int

    init(_ generation: Generation) {
        self.generation = generation.number
        id = generation.id
        time = Timestamp(generation.time)
        author = generation.author
        comment = generation.comment
        state =
            switch generation.state {
            case nil: .confirmed
            case .pending: .pending
            case .reverted: .reverted
            case .restored: .restored
            }
        changes = generation.changes.map(ValueChange.init)
        omitted = generation.omitted ?? 0
    }
}

/// The effects that a change would have; see ``Cleat/plan(_:)``.
public struct Plan: Hashable, Sendable {
    /// The effect on one resource of the system.
    public struct Step: Hashable, Sendable {
        /// The effect on a resource.
        public enum Action: Hashable, Sendable {
            /// The resource does not exist and would be created.
            case create
            /// The resource would be changed.
            case change
            /// The resource would be removed.
            case remove
            /// The resource has the desired state already.
            case unchanged
            /// The resource would not be changed; the note has the reason.
            case skipped
        }

        /// The resource: its path, or the name of an interface.
        public let resource: String
        /// The effect.
        public let action: Action
        /// The present state, in one line; nil if it is omitted.
        public let before: String?
        /// The state after the change, in one line; nil if it is omitted.
        public let after: String?
        /// The change of a file's content, in the format of `diff -u`; nil if there is none.
        public let difference: String?
        /// A note, such as the reason why a value is omitted; nil if there is none.
        public let note: String?
    }

    /// The changes of settings, in order of their paths.
    public let changes: [ValueChange]
    /// The effects on the system, in the order of application; none without a service.
    public let steps: [Step]
    /// The actions after the resources have changed, such as a service that is restarted, as text.
    public let actions: [String]
    /// Notes, such as settings that no adapter follows on this board.
    public let notes: [String]

    init(_ reply: SettingsInterface.Outcome) {
        changes = reply.changes.map(ValueChange.init)
        steps = (reply.plan?.steps ?? []).map(Step.init)
        actions = (reply.plan?.actions ?? []).map(\.title)
        notes = reply.plan?.notes ?? []
    }
}

extension Plan.Step {
    fileprivate init(_ step: PlannedStep) {
        resource = step.resource
        before = step.before
        after = step.after
        difference = step.diff
        note = step.note
        action =
            switch step.action {
            case .create: .create
            case .change: .change
            case .remove: .remove
            case .unchanged: .unchanged
            case .skipped: .skipped
            }
    }
}
