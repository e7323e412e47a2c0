package import CleatIO
internal import CleatSettings
internal import SystemPackage

/// The user, limits, directory and environment of a hook's process, from `user`, `limits`, `directory` and `environment` of
/// its file.
package struct HookProcess: Sendable, Equatable {
    /// The name of the user that it runs as; nil for the service's user.
    package var user: String?
    /// The limits of its resources.
    package var limits: [ResourceLimit]
    /// The directory in which it runs.
    package var directory: String
    /// The properties of the event that are in its environment; nil for all harmless ones.
    package var properties: [HookPattern]?

    /// Creates the attributes of a process.
    package init(
        user: String? = nil, limits: [ResourceLimit] = [], directory: String = "/", properties: [HookPattern]? = nil
    ) {
        self.user = user
        self.limits = limits
        self.directory = directory
        self.properties = properties
    }

    /// The members of a hook file that it reads.
    static let members = ["user", "limits", "directory", "environment"]

    /// Reads the attributes from a hook file.
    init(_ top: HookFileNode) throws(HookFileError) {
        self.init()
        if let node = try top.member("user") {
            let name = try node.string()
            guard UserDatabase.user(named: name) != nil else {
                throw HookFileError(
                    at: node.position,
                    "/etc/passwd has no user \(HookFileNode.excerpt(name)); write the name of a user of this board")
            }
            user = name
        }
        if let node = try top.member("limits") { limits = try Self.limits(node) }
        if let node = try top.member("directory") { directory = try HookFile.absolutePath(node) }
        if let node = try top.member("environment") {
            let elements = try node.elements()
            guard elements.count <= HookLimits.properties else {
                throw HookFileError(
                    at: node.position, "environment has more than \(HookLimits.properties) elements; write patterns")
            }
            var patterns: [HookPattern] = []
            for element in elements { patterns.append(try element.glob()) }
            properties = patterns
        }
    }

    /// Reads the limits, with the resources of setrlimit(2).
    private static func limits(_ node: HookFileNode) throws(HookFileError) -> [ResourceLimit] {
        try node.checkMembers(["cpu", "fileSize", "files", "memory", "processes"])
        var limits: [ResourceLimit] = []
        if let time = try node.member("cpu")?.milliseconds(in: 1000...HookLimits.longestTimeout) {
            limits.append(ResourceLimit(.processorTime, UInt64((time + 999) / 1000)))
        }
        for (name, resource) in [("memory", LimitedResource.addressSpace), ("fileSize", .fileSize)] {
            guard let bytes = try node.member(name)?.bytes() else { continue }
            limits.append(ResourceLimit(resource, UInt64(bytes)))
        }
        for (name, resource) in [("files", LimitedResource.openFiles), ("processes", .processes)] {
            guard let count = try node.member(name)?.integer(in: 1...HookLimits.highestCount) else { continue }
            limits.append(ResourceLimit(resource, UInt64(count)))
        }
        return limits
    }

    /// Finds the user with its groups, and the variables that describe it to its programs. environ(7)
    ///
    /// - Returns: The user, nil for the service's own, and its variables.
    /// - Throws: The reason why the hook cannot run as that user.
    func findUser() throws(HookUserError) -> (user: ChildCommand.User?, variables: [String: String]) {
        guard let user else { return (nil, [:]) }
        guard let found = UserDatabase.user(named: user) else {
            throw HookUserError(user: user, errno: .invalidArgument)
        }
        let variables = ["HOME": found.home, "USER": user, "LOGNAME": user]
        guard found.uid != ProcessSelf.uid else { return (nil, variables) }
        guard ProcessSelf.uid == 0 else { throw HookUserError(user: user, errno: .notPermitted) }
        let groups = UserDatabase.groups(ofUser: user)
        return (ChildCommand.User(uid: found.uid, gid: found.gid, groups: groups), variables)
    }
}

/// The reason why a hook cannot run as its user.
struct HookUserError: Error, CustomStringConvertible {
    let user: String
    /// `EPERM` if the service may not switch to the user, `EINVAL` if there is none.
    let errno: Errno

    var description: String {
        errno == .notPermitted
            ? "the service does not run as root, so it cannot run programs as \(user); remove user from the hook"
            : "/etc/passwd has no user \(user); write the name of a user of this board"
    }
}
