/// A problem that does not keep the service from running.
package struct DoctorFinding: Codable, Hashable, Sendable {
    /// The kind of problem.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A stored value that its schema refuses.
        case refusedValue = "refused_value"
        /// A stored path that no schema knows.
        case unknownSetting = "unknown_setting"
        /// A row of the store that this release cannot read.
        case unreadableSetting = "unreadable_setting"
        /// A stored path that was renamed; the next commit writes the new name.
        case renamed
        /// A stored value that is not in force because a lock covers its path.
        case locked
        /// A file of schemas, defaults, factory data, locks or probes that is refused.
        case refusedFile = "refused_file"
        /// A value in a file of defaults or factory data that is not in force.
        case refusedDefault = "refused_default"
        /// A deprecated setting that is set.
        case deprecated
        /// A problem of the service's own configuration, or of an area of files.
        case configuration
        /// A hook file that is refused, or a hook that is at its rate limit.
        case hook
        /// A problem of the store.
        case store
        /// A setting that the system does not follow.
        case notFollowed = "not_followed"
        /// A resource of the system that was edited outside Cleat.
        case drift
    }

    /// The kind of problem.
    package var kind: Kind
    /// The path or the file with the problem.
    package var subject: String
    /// The problem as text.
    package var message: String
    /// The remedy.
    package var remedy: String
    /// The line in the file, from 1.
    package var line: Int?
    /// The column in the line, from 1.
    package var column: Int?

    /// Creates a finding.
    package init(kind: Kind, subject: String, message: String, remedy: String, line: Int? = nil, column: Int? = nil) {
        self.kind = kind
        self.subject = subject
        self.message = message
        self.remedy = remedy
        self.line = line
        self.column = column
    }
}
