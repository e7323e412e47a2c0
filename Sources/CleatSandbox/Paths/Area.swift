/// One of the four directories of the file facade.
package enum Area: String, CaseIterable, Sendable, Hashable, CustomStringConvertible {
    /// Files that programs and people keep.
    case documents
    /// Files that arrive from elsewhere, for a hook to process.
    case inbox
    /// Files that programs need and people need not see.
    case library
    /// Files that may be gone after the next start.
    case temporary

    /// The area's name.
    package var description: String { rawValue }
}
