/// An error of `dev.cleat.Snapshots`: its kind and its subject.
package struct SnapshotsError: Error, Hashable, Sendable {
    /// The kind of the error.
    package var kind: Kind
    /// The snapshot's name, the hash of the damaged object, or the resource that the error is about.
    package var name: String
    /// The error as one sentence.
    package var message: String

    /// Creates an error.
    package init(_ kind: Kind, _ name: String, message: String) {
        self.kind = kind
        self.name = name
        self.message = message
    }

    /// The kinds of errors, by their names on the wire.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// No snapshot has this name.
        case unknownSnapshot = "UnknownSnapshot"
        /// A snapshot with this name exists already.
        case snapshotExists = "SnapshotExists"
        /// The name is not valid for a snapshot.
        case invalidName = "InvalidName"
        /// The number of snapshots, or their total size, has reached the limit.
        case limitReached = "LimitReached"
        /// An object of a snapshot is damaged; the name is the object's hash.
        case damagedObject = "DamagedObject"
        /// The file is not a valid export of a snapshot; the name is the position of the fault.
        case invalidExport = "InvalidExport"
        /// The request cannot be served.
        case refused = "Refused"
    }
}
