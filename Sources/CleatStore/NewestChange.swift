/// The newest change of an author that is in force, and what others have changed since.
package struct NewestChange: Sendable, Hashable {
    /// The most changes that are looked at.
    static let limit = 256

    /// A change that came after it.
    package struct Other: Sendable, Hashable {
        /// Its generation.
        package let number: Int64
        /// Who made it.
        package let author: String
    }

    /// Its generation; nil where none of the last changes is theirs.
    package let number: Int64?
    /// The generation that stands for the settings before it, or before the newest change of all where none is theirs; nil
    /// where what was before is not known.
    package let before: Int64?
    /// The changes of others since, the newest first.
    package let later: [Other]
}
