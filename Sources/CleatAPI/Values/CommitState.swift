/// What became of a change set.
package enum CommitState: String, Codable, Hashable, Sendable, CaseIterable {
    /// It made a generation.
    case confirmed
    /// It changed nothing, so nothing was written.
    case unchanged
    /// Its id was known: this is the answer to the first time.
    case repeated
    /// It made a generation that is on trial: in force, and undone unless it is confirmed in time.
    case pending
    /// Its id was known: it was on trial then, and was undone.
    case reverted
    /// It was only checked: it would be taken, and nothing was changed.
    case checked
}
