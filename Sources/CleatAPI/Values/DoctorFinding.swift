/// Something that is not as it should be, though the service does its work.
package struct DoctorFinding: Codable, Hashable, Sendable {
    /// What kind of thing is wrong.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A stored value that its schema refuses.
        case refusedValue = "refused_value"
        /// A stored path that no schema knows.
        case unknownSetting = "unknown_setting"
        /// A row of the store that this release cannot read.
        case unreadableSetting = "unreadable_setting"
        /// A stored path that has another name now, which the next commit writes.
        case renamed
        /// A stored value below a lock, which is not in force for that.
        case locked
        /// A file of schemas, defaults, factory data or locks that is refused.
        case refusedFile = "refused_file"
        /// A value in a file of defaults or factory data that is not in force.
        case refusedDefault = "refused_default"
        /// A deprecated setting that somebody has set.
        case deprecated
        /// The service's own configuration.
        case configuration
        /// A file of a hook that is refused.
        case hook
        /// The store.
        case store
        /// A setting that the system does not follow.
        case notFollowed = "not_followed"
        /// Something of the system that somebody else has changed.
        case drift
    }

    /// What kind of thing is wrong.
    package var kind: Kind
    /// The path or the file that it is about.
    package var subject: String
    /// What is wrong.
    package var message: String
    /// What to do about it.
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
