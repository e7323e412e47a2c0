package import CleatJSON

/// An error of `dev.cleat.Snapshots`: its kind and its subject.
package struct SnapshotsError: Error, Equatable, Sendable {
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

extension SnapshotsError {
    private static let prefix = SnapshotsInterface.name + "."

    /// The fully qualified name on the wire.
    package var wireName: String { Self.prefix + kind.rawValue }

    /// The parameters of the error on the wire.
    package var parameters: JSONObject { ["name": .string(name), "message": .string(message)] }

    /// Reads an error from the wire; a field that is missing or of another type counts as empty.
    ///
    /// - Returns: nil if the interface declares no error of that name.
    package init?(name: String, parameters: JSONObject) {
        guard name.utf8.starts(with: Self.prefix.utf8),
            let kind = Kind(rawValue: String(name.dropFirst(Self.prefix.utf8.count)))
        else { return nil }
        self.init(
            kind, parameters["name"]?.stringValue ?? "", message: parameters["message"]?.stringValue ?? "")
    }
}
