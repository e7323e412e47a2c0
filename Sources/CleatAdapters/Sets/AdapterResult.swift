/// Says what came of applying, or of bringing back, what one adapter wants.
package struct AdapterResult: Hashable, Sendable {
    /// A resource that was left as it is.
    package struct Skipped: Hashable, Sendable {
        /// The resource.
        package var resource: Resource
        /// Why, as the end of a sentence.
        package var reason: String
    }

    /// The adapter's name.
    package let adapter: String
    /// The resources that were written.
    package var written: [Resource] = []
    /// Those that were left as they are.
    package var skipped: [Skipped] = []
    /// What failed; applying stops at the first one.
    package var errors: [ResourceError] = []
    /// How long it took.
    package var duration: Duration = .zero
    /// Whether that was longer than the adapter may take.
    package var isLate = false

    /// Whether all was done in time.
    package var isSuccess: Bool { errors.isEmpty && !isLate }

    init(adapter: String) { self.adapter = adapter }
}
