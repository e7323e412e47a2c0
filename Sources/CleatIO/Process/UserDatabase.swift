/// Users and groups as listed in `/etc/passwd` and `/etc/group`; no other source is read.
package enum UserDatabase {
    /// The most bytes of a file that are read.
    private static let limit = 1 << 20

    /// A user of the board.
    package struct User: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The user ID.
        package let uid: UInt32
        /// The primary group ID.
        package let gid: UInt32
        /// The home directory.
        package let home: String
    }

    /// Finds a user by name.
    package static func user(named name: String, directory: String = "/etc") -> User? {
        users(directory).first { $0.name == name }
    }

    /// Returns a user's name; nil if no user has the ID.
    package static func name(of uid: UInt32, directory: String = "/etc") -> String? {
        directory == "/etc" ? system.name(of: uid) : read(uid, directory)
    }

    private static let system = UserNames(directory: "/etc")

    /// Reads a user's name from the file.
    static func read(_ uid: UInt32, _ directory: String) -> String? {
        users(directory).first { $0.uid == uid }?.name
    }

    /// Returns a user's ID; nil if there is no such user.
    package static func uid(of name: String, directory: String = "/etc") -> UInt32? {
        user(named: name, directory: directory)?.uid
    }

    /// Returns a group's ID; nil if there is no such group.
    package static func gid(ofGroup name: String, directory: String = "/etc") -> UInt32? {
        groups(directory).first { $0.name == name }?.gid
    }

    /// Returns a group's name; nil if no group has the ID.
    package static func groupName(of gid: UInt32, directory: String = "/etc") -> String? {
        groups(directory).first { $0.gid == gid }?.name
    }

    /// Returns the IDs of a user's groups: the primary group, then those that list the user as a member.
    package static func groups(ofUser name: String, directory: String = "/etc") -> [UInt32] {
        var numbers = user(named: name, directory: directory).map { [$0.gid] } ?? []
        for group in groups(directory) where group.members.contains(name) && !numbers.contains(group.gid) {
            numbers.append(group.gid)
        }
        return numbers
    }

    private struct Group {
        var name: String
        var gid: UInt32
        var members: [String]
    }

    private static func users(_ directory: String) -> [User] {
        lines(directory + "/passwd", fields: 6).compactMap { fields in
            guard let uid = UInt32(fields[2]), let gid = UInt32(fields[3]) else { return nil }
            return User(name: String(fields[0]), uid: uid, gid: gid, home: String(fields[5]))
        }
    }

    private static func groups(_ directory: String) -> [Group] {
        lines(directory + "/group", fields: 4).compactMap { fields in
            guard let gid = UInt32(fields[2]) else { return nil }
            return Group(name: String(fields[0]), gid: gid, members: fields[3].split(separator: ",").map(String.init))
        }
    }

    /// Returns the lines that have at least `count` fields; comments and NIS entries are skipped.
    private static func lines(_ path: String, fields count: Int) -> [[Substring]] {
        let text = (try? SmallFile.text(path, limit: limit)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= count, let first = fields[0].utf8.first, !"#+-".utf8.contains(first) else {
                return nil
            }
            return fields
        }
    }
}
