/// What became of a change set.
package enum CommitState: String, Codable, Hashable, Sendable, CaseIterable {
    /// It made a generation.
    case confirmed
    /// It changed nothing, so nothing was written.
    case unchanged
    /// Its id was known: this is the answer to the first time.
    case repeated
    /// It was only checked: it would be taken, and nothing was changed.
    case checked
}
