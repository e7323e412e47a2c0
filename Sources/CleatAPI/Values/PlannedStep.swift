/// The effect that a change would have on one resource of the system.
package struct PlannedStep: Codable, Hashable, Sendable {
    /// The adapter that requests it.
    package var adapter: String
    /// The kind of resource: `file`, `link`, `line`, `attribute`, `host-name`.
    package var kind: String
    /// The name for users: its path.
    package var resource: String
    /// The action.
    package var action: Action
    /// The present state, in one line.
    package var before: String?
    /// The state after the change, in one line.
    package var after: String?
    /// The change of the file's content, in the format of `diff -u`.
    package var diff: String?
    /// A note, such as the reason why a value is omitted.
    package var note: String?

    /// The action on one resource of the system.
    package enum Action: String, Codable, Hashable, Sendable, CaseIterable {
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

    /// Creates a step.
    package init(
        adapter: String, kind: String, resource: String, action: Action, before: String? = nil, after: String? = nil,
        diff: String? = nil, note: String? = nil
    ) {
        self.adapter = adapter
        self.kind = kind
        self.resource = resource
        self.action = action
        self.before = before
        self.after = after
        self.diff = diff
        self.note = note
    }
}
