/// Names one of the four directories of the file facade.
package enum Area: String, CaseIterable, Sendable, Hashable, CustomStringConvertible {
    /// What programs and people keep.
    case documents
    /// What arrives from elsewhere, to be taken by a hook.
    case inbox
    /// What programs need and people need not see.
    case library
    /// What may be gone after the next start.
    case temporary

    /// The area's name.
    package var description: String { rawValue }
}
