internal import SystemPackage

/// The members of the groups, according to `/etc/passwd` and `/etc/group`.
package struct GroupMembership: Sendable {
    private var primary: [(name: String, user: UInt32, group: UInt32)] = []
    private var members: [UInt32: [String]] = [:]

    /// The largest file that is read, in bytes.
    private static let byteLimit = 1 << 20

    /// Parses the texts of `/etc/passwd` and `/etc/group`.
    package init(passwd: String, group: String) {
        for entry in UserDatabase.entries(of: passwd, fields: 4) {
            guard let user = entry.number(2), let group = entry.number(3) else { continue }
            primary.append((entry.text(0), user, group))
        }
        for entry in UserDatabase.entries(of: group, fields: 4) {
            guard let group = entry.number(2) else { continue }
            members[group, default: []] += entry.names(3)
        }
    }

    /// Reads the system's files; returns nil if they cannot be read.
    static func ofSystem() -> GroupMembership? {
        func text(_ path: FilePath) -> String? {
            guard let bytes = try? SmallFile.read(path, upTo: byteLimit), bytes.count < byteLimit else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let passwd = text("/etc/passwd"), let group = text("/etc/group") else { return nil }
        return GroupMembership(passwd: passwd, group: group)
    }

    /// Returns true if a group is known and has no members but the given users.
    package func isPrivate(group: UInt32, users: Set<UInt32>) -> Bool {
        guard let names = members[group] else { return false }
        guard primary.allSatisfy({ $0.group != group || users.contains($0.user) }) else { return false }
        return names.allSatisfy { name in
            primary.contains { $0.name == name } && primary.allSatisfy { $0.name != name || users.contains($0.user) }
        }
    }
}
