package import CleatIO

/// A method by which a client proves its identity.
package protocol Authenticator: Sendable {
    /// The name of the method, by which a client requests it.
    var method: String { get }

    /// Returns the identity that a client proves by this method with the credentials of its process and the credential
    /// that it presents, which is nil when it connects; nil if it proves none.
    func identity(of peer: PeerCredentials, presenting credential: String?) -> ClientIdentity?
}

/// The proved identity of a client, from which alone its rights follow.
package struct ClientIdentity: Sendable, Equatable {
    /// The user ID.
    package let uid: UInt32
    /// The group IDs, the primary one first.
    package let groups: [UInt32]
    /// The method that proved it.
    package let proof: String

    /// Creates an identity.
    package init(uid: UInt32, groups: [UInt32], proof: String) {
        (self.uid, self.groups, self.proof) = (uid, groups, proof)
    }

    /// The user's name, or the number of a user who is unknown to the system.
    package var name: String { UserDatabase.name(of: uid) ?? "uid \(uid)" }
}

/// Proves the user of the client's process when the client connects. `SO_PEERCRED`
package struct PeerAuthenticator: Authenticator {
    package let method = "peer"

    /// Creates the method.
    package init() {}

    package func identity(of peer: PeerCredentials, presenting credential: String?) -> ClientIdentity? {
        guard credential == nil else { return nil }
        return ClientIdentity(uid: peer.uid, groups: [peer.gid] + peer.groups, proof: method)
    }
}

/// The reason why a client could not prove an identity; that of its connection stays.
package enum AuthenticationError: String, Error, Sendable {
    /// No method accepts the credential.
    case refused = "the credential is not valid"
    /// The connection had other calls, or too many failed attempts.
    case late = "an identity can be proved only before all other calls of a connection, with three attempts"
}
