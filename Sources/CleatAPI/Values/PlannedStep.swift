/// Says what a change would do to one thing of the system.
package struct PlannedStep: Codable, Hashable, Sendable {
    /// The adapter that wants it.
    package var adapter: String
    /// The kind of thing: `file`, `link`, `line`, `attribute`, `host-name`.
    package var kind: String
    /// What people call it: its path.
    package var resource: String
    /// What would become of it.
    package var action: Action
    /// What it is now, in one line.
    package var before: String?
    /// What it would be, in one line.
    package var after: String?
    /// How the content of the file would change, as `diff -u` has it.
    package var diff: String?
    /// What else there is to know, such as why something is not shown.
    package var note: String?

    /// What would become of one thing of the system.
    package enum Action: String, Codable, Hashable, Sendable, CaseIterable {
        /// It is not there, and would be made.
        case create
        /// It would be something else.
        case change
        /// It would be taken away.
        case remove
        /// It is what it shall be already.
        case unchanged
        /// It would be left as it is.
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
