/// An error of `dev.cleat.Snapshots`: what kind it is, and what it is about.
package struct SnapshotsError: Error, Hashable, Sendable {
    /// What kind of error it is.
    package var kind: Kind
    /// The snapshot's name, or the hash of the object that is damaged.
    package var name: String
    /// The error as one sentence.
    package var message: String

    /// Creates an error.
    package init(_ kind: Kind, _ name: String, message: String) {
        self.kind = kind
        self.name = name
        self.message = message
    }

    /// What kind of error it is; its name on the wire.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// There is no snapshot of this name.
        case unknownSnapshot = "UnknownSnapshot"
        /// There is one of this name already.
        case snapshotExists = "SnapshotExists"
        /// That cannot be the name of a snapshot.
        case invalidName = "InvalidName"
        /// There are as many snapshots, or as many bytes of them, as there may be.
        case limitReached = "LimitReached"
        /// An object of a snapshot is damaged; the name is the object's hash.
        case damagedObject = "DamagedObject"
        /// A file is no export of a snapshot, or is damaged; the name says where.
        case invalidExport = "InvalidExport"
        /// The request cannot be served.
        case refused = "Refused"
    }
}
