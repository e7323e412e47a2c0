/// The newest change of an author that is in force, and the changes of others since.
package struct NewestChange: Sendable, Hashable {
    /// The maximum number of generations that are searched.
    static let limit = 256

    /// A change of another author that came after it.
    package struct Other: Sendable, Hashable {
        /// The change's generation.
        package let number: Int64
        /// The author of the change.
        package let author: String
    }

    /// The change's generation; nil if none of the last changes is the author's.
    package let number: Int64?
    /// The generation with the settings before it, or before the newest change of all if none is the author's; nil if
    /// those settings are not known.
    package let before: Int64?
    /// The changes of others since, the newest first.
    package let later: [Other]
}
