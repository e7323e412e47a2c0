/// Users and groups as `/etc/passwd` and `/etc/group` list them; no other source is asked.
package enum UserDatabase {
    /// How much of a file is read.
    private static let limit = 1 << 20

    /// A user of the board.
    package struct User: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The number.
        package let uid: UInt32
        /// The first group's number.
        package let gid: UInt32
        /// The home directory.
        package let home: String
    }

    /// Finds a user by name.
    package static func user(named name: String, directory: String = "/etc") -> User? {
        users(directory).first { $0.name == name }
    }

    /// Gives a user's name.
    package static func name(of uid: UInt32, directory: String = "/etc") -> String? {
        users(directory).first { $0.uid == uid }?.name
    }

    /// Gives a user's number.
    package static func uid(of name: String, directory: String = "/etc") -> UInt32? {
        user(named: name, directory: directory)?.uid
    }

    /// Gives a group's number.
    package static func gid(ofGroup name: String, directory: String = "/etc") -> UInt32? {
        groups(directory).first { $0.name == name }?.gid
    }

    /// Gives a group's name.
    package static func groupName(of gid: UInt32, directory: String = "/etc") -> String? {
        groups(directory).first { $0.gid == gid }?.name
    }

    /// Gives the numbers of the groups that list a user as a member, the user's first group included.
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

    /// Gives the lines that have at least so many fields; comments and NIS entries have no name.
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
