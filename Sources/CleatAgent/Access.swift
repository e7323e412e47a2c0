package import CleatAPI
package import CleatVarlink

/// Decides which client may do which operation on the service's socket, by its proved identity only.
///
/// Every call is decided here and nowhere else.
package struct Access: Sendable {
    /// The class of a call.
    package typealias Operation = MethodAccess

    /// The name of the group whose members may connect to the socket and use the settings.
    package static let group = "cleat"

    /// The service's own user.
    private let owner: UInt32
    /// The gid of group `cleat`; nil if the system has no such group.
    let group: UInt32?

    /// Creates the rules for a service that runs as `owner`.
    ///
    /// - Parameters:
    ///   - owner: The service's own user.
    ///   - group: The gid of group `cleat`; nil if there is none.
    package init(owner: UInt32, group: UInt32?) {
        self.owner = owner
        self.group = group
    }

    /// Returns true if a client may do an operation.
    ///
    /// Root and the service's own user may do everything, members of group `cleat` may read and write, others may only
    /// prove another identity.
    package func decide(_ identity: ClientIdentity, _ operation: Operation) -> Bool {
        if operation == .anyone || isPrivileged(identity) { return true }
        guard let group, identity.groups.contains(group) else { return false }
        return operation != .execute
    }

    /// Returns the standing of a client at the socket.
    func standing(_ identity: ClientIdentity) -> VarlinkServer.Standing {
        isPrivileged(identity) ? .privileged : decide(identity, .read) ? .user : .stranger
    }

    /// Returns true for root and the service's own user, who may do everything and for whom connections are reserved.
    package func isPrivileged(_ identity: ClientIdentity) -> Bool { Self.isPrivileged(identity.uid, owner: owner) }

    /// Returns true for the uids of root and of the service's own user.
    package static func isPrivileged(_ user: UInt32, owner: UInt32) -> Bool { user == 0 || user == owner }

    /// The group of settings that only privileged users change: the agent's own behaviour, logging and history.
    package static let ownGroup = "agent"

    /// Returns true if a client may see secrets: only privileged ones may.
    package func reveals(_ identity: ClientIdentity) -> Bool { isPrivileged(identity) }

    /// Returns the class of a method, as its interface description has it.
    ///
    /// A method that no description has gets the most powerful class.
    package static func operation(interface: String, method: String) -> Operation {
        if interface == InterfaceDescription.service.name { return .read }
        return classes["\(interface).\(method)"] ?? .execute
    }

    /// The classes of all methods by their names with the interface.
    private static let classes = Dictionary(
        APIInterfaces.all.flatMap { $0.methods }.map { ($0.name, $0.access) }, uniquingKeysWith: { _, second in second }
    )
}
