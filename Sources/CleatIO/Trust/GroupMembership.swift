internal import SystemPackage

/// The members of the groups, according to `/etc/passwd` and `/etc/group`.
package struct GroupMembership: Sendable {
    private var primary: [(name: Substring, user: UInt32, group: UInt32)] = []
    private var members: [UInt32: [Substring]] = [:]

    /// The largest file that is read, in bytes.
    private static let byteLimit = 1 << 20

    /// Parses the texts of `/etc/passwd` and `/etc/group`.
    package init(passwd: String, group: String) {
        for line in passwd.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 4, let user = UInt32(fields[2]), let group = UInt32(fields[3]) else { continue }
            primary.append((fields[0], user, group))
        }
        for line in group.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 4, let group = UInt32(fields[2]) else { continue }
            members[group, default: []] += fields[3].split(separator: ",")
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
