/// The outcome of a change set.
package enum CommitState: String, Codable, Hashable, Sendable, CaseIterable {
    /// It was committed as a generation, or as volatile values.
    case confirmed
    /// It changed nothing, so nothing was written.
    case unchanged
    /// A change set with this id was committed before; the reply describes that one.
    case repeated
    /// Its generation is on trial: in force, and undone unless it is confirmed in time.
    case pending
    /// It was undone: it was a rehearsal, or a change set with this id was undone before.
    case reverted
    /// It was only checked: it is valid, and nothing was changed.
    case checked
}
