package import CleatObservers

/// Says which files that arrive in the inbox are settings to be applied, and whose they must be.
package struct ImportRule: Sendable, Hashable {
    /// What the path of the file in the inbox must match.
    package var match: Glob
    /// The numbers of the users whose file it may be: what a file of anybody else says is not done.
    package var owners: Set<UInt32>
    /// How long the change is on trial, in milliseconds; nil where it holds at once.
    package var confirm: Int64?

    /// Takes all of it.
    package init(match: Glob, owners: Set<UInt32>, confirm: Int64? = nil) {
        self.match = match
        self.owners = owners
        self.confirm = confirm
    }
}
