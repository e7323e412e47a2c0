/// The result of applying or restoring the resources of one adapter.
package struct AdapterOutcome: Equatable, Sendable {
    /// A resource that was skipped.
    package struct Skipped: Equatable, Sendable {
        /// The resource.
        package var resource: Resource
        /// The reason, as the end of a sentence.
        package var reason: String
        /// True if the resource is not as the settings want it, or as it was before Cleat changed it.
        package var isUnmet = false
    }

    /// The adapter's name.
    package let adapter: String
    /// The resources that were written or removed.
    package var written: [Resource] = []
    /// The written resources that do not exist any more.
    package var removed: Set<Resource> = []
    /// The resources that were skipped.
    package var skipped: [Skipped] = []
    /// The failures; applying stops at the first one.
    package var errors: [ResourceError] = []
    /// The time that it took.
    package var duration: Duration = .zero
    /// True if that exceeded the adapter's time limit.
    package var isLate = false

    /// True if everything succeeded in time.
    package var isSuccess: Bool { errors.isEmpty && !isLate }

    init(adapter: String) { self.adapter = adapter }
}
