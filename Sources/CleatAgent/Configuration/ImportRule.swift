package import CleatObservers

/// A rule that decides which files in the inbox are settings to be applied, and which users may own them.
package struct ImportRule: Sendable, Hashable {
    /// The pattern that the path of the file in the inbox must match.
    package var match: Glob
    /// The uids of the permitted owners: files of other users are rejected.
    package var owners: Set<UInt32>
    /// The confirm window in milliseconds; nil if the change is not on trial.
    package var confirm: Int64?

    /// Creates a rule.
    package init(match: Glob, owners: Set<UInt32>, confirm: Int64? = nil) {
        self.match = match
        self.owners = owners
        self.confirm = confirm
    }
}
