/// Says what a change would do to one resource, for people who plan it.
package struct PlannedStep: Hashable, Sendable {
    /// What would become of a resource.
    package enum Action: String, Hashable, Sendable, CaseIterable {
        /// It is not there, and would be made.
        case create
        /// It would be something else.
        case change
        /// It would be taken away.
        case remove
        /// It is what it shall be already.
        case unchanged
        /// It would be left as it is; the note says why.
        case skipped
    }

    /// The adapter that wants it.
    package let adapter: String
    /// The resource.
    package let resource: Resource
    /// What would become of it.
    package var action: Action
    /// What it is now, in one line; nil where that is not shown, or told by the difference.
    package var before: String?
    /// What it would be, in one line.
    package var after: String?
    /// The difference between the content of the file before and after, as `diff -u` has it.
    package var difference: String?
    /// What else there is to know, such as why something is not shown.
    package var note: String?

    init(_ adapter: String, _ resource: Resource, _ action: Action, note: String? = nil) {
        self.adapter = adapter
        self.resource = resource
        self.action = action
        self.note = note
    }
}
