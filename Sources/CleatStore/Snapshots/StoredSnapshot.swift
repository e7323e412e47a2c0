package import CleatAPI

/// Describes one snapshot.
package struct StoredSnapshot: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The generation that its settings are of; of another store where it was imported.
    package var generation: GenerationRef
    /// When it was made.
    package var stamp: CommitStamp
    /// Who made it.
    package var author: String
    /// Who took it in from a file; nil where it was made here.
    package var importer: String?
    /// Why.
    package var comment: String?
    /// How many settings it holds.
    package var settings: Int
    /// How many resources it holds.
    package var resources: Int
    /// The bytes of all its objects.
    package var bytes: Int64
    /// The bytes of those of its objects that no other snapshot holds.
    package var ownBytes: Int64
    /// What was found damaged of the objects that say what it holds, as a sentence; nil where nothing was.
    package var damage: String?
}
