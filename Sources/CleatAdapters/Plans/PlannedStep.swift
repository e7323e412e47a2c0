/// The effect of a change on one resource, for users who plan it.
package struct PlannedStep: Hashable, Sendable {
    /// The kind of effect on a resource.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// The resource does not exist, and would be created.
        case create
        /// The resource would be changed.
        case change
        /// The resource would be removed.
        case remove
        /// The resource already has the desired state.
        case unchanged
        /// The resource would be skipped; the note is the reason.
        case skipped
    }

    /// The adapter that wants the resource.
    package let adapter: String
    /// The resource.
    package let resource: Resource
    /// The kind of effect.
    package var action: Action
    /// The present state in one line; nil if it is not shown, or is part of the difference.
    package var before: String?
    /// The state after the change, in one line.
    package var after: String?
    /// The difference between the file's contents before and after, in the format of `diff -u`.
    package var difference: String?
    /// Further information, such as the reason why something is not shown.
    package var note: String?

    init(_ adapter: String, _ resource: Resource, _ action: Action, note: String? = nil) {
        self.adapter = adapter
        self.resource = resource
        self.action = action
        self.note = note
    }
}
