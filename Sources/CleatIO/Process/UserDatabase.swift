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

    /// Finds whether a group exists in the process's user namespace (user_namespaces(7)).
    ///
    /// No file can be given to another: chown(2) refuses it with `EINVAL`.
    ///
    /// - Parameters:
    ///   - gid: The ID of the group.
    ///   - map: The kernel's table of the namespace: the first ID in it, the first outside it, and their count.
    /// - Returns: True if it exists, and if the kernel has no user namespaces.
    package static func isMapped(group gid: UInt32, in map: String = "/proc/self/gid_map") -> Bool {
        // A kernel without user namespaces has no such file.
        guard let text = try? SmallFile.text(map, limit: limit) else { return true }
        return text.split(separator: "\n").contains { line in
            let numbers = line.split(separator: " ").compactMap { UInt32($0) }
            return numbers.count == 3 && gid >= numbers[0] && gid - numbers[0] < numbers[2]
        }
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
        entries(in: directory + "/passwd", fields: 6).compactMap { entry in
            guard let uid = entry.number(2), let gid = entry.number(3) else { return nil }
            return User(name: entry.text(0), uid: uid, gid: gid, home: entry.text(5))
        }
    }

    private static func groups(_ directory: String) -> [Group] {
        entries(in: directory + "/group", fields: 4).compactMap { entry in
            entry.number(2).map { Group(name: entry.text(0), gid: $0, members: entry.names(3)) }
        }
    }

    /// Returns the entries of a file that have at least `count` fields; comments and NIS entries are skipped.
    private static func entries(in path: String, fields count: Int) -> [Entry] {
        entries(of: (try? SmallFile.text(path, limit: limit)) ?? "", fields: count).filter { entry in
            entry.fields[0].first.map { !"#+-".utf8.contains($0) } ?? false
        }
    }

    /// Returns the lines of a text that have at least `count` fields.
    static func entries(of text: String, fields count: Int) -> [Entry] {
        // Bytes are split: characters would take a quarter of the time of the service's start.
        Array(text.utf8).split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            return fields.count < count ? nil : Entry(fields: fields)
        }
    }

    /// One line of a file.
    struct Entry {
        /// The bytes of its fields.
        let fields: [ArraySlice<UInt8>]

        /// Returns a field as text.
        func text(_ index: Int) -> String { String(decoding: fields[index], as: UTF8.self) }

        /// Returns a field as a number; nil if it is none.
        func number(_ index: Int) -> UInt32? { UInt32(text(index)) }

        /// Returns the names of a field that has commas between them.
        func names(_ index: Int) -> [String] {
            fields[index].split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
