import CleatIO
import CleatJSON
import CleatSettings

/// A file of `adapters.d`: a program that takes part in changes of the settings below some prefixes.
struct ProgramFile: Sendable, Equatable {
    /// The name of the file without `.json5`, which is the name of the program's adapter.
    let name: String
    /// The settings that the program follows: these paths and all below them; not empty.
    let prefixes: [SettingPath]
    /// The program's absolute path, and its arguments.
    let command: [String]
    /// The user and groups that the program runs as; nil for those of the service.
    let user: ChildCommand.User?
    /// The time limit of one call.
    let timeLimit: Duration

    /// The time limit of a file without one.
    private static let standardLimit: Int64 = 10_000
    /// The time limits that a file may have, in milliseconds.
    private static let timeLimits: ClosedRange<Int64> = 100...60_000

    /// Reads a file: `{ prefixes: ["camera"], command: ["/usr/lib/camera/adapter"], user: "camera", timeLimit: "5s" }`.
    ///
    /// - Parameters:
    ///   - bytes: The contents.
    ///   - file: The path.
    ///   - users: The directory of `passwd` and `group`.
    /// - Returns: The parsed file.
    /// - Throws: The reason why the file is refused.
    static func read(_ bytes: [UInt8], file: String, users: String) throws(SourceRefusal) -> ProgramFile {
        let document: (value: JSONValue, locations: JSONLocations)
        do {
            document = try JSONReader.readWithLocations(bytes, dialect: .json5)
        } catch {
            throw SourceRefusal(error)
        }
        do {
            return try ProgramFile(
                ConfigurationReader(locations: document.locations), document.value, name: Self.name(of: file), users)
        } catch {
            throw SourceRefusal(error)
        }
    }

    private static func name(of file: String) -> String {
        let name = file.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? file
        let suffix = SourceKind.adapters.suffix
        return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    }

    private init(
        _ reader: ConfigurationReader, _ value: JSONValue, name: String, _ users: String
    ) throws(ConfigurationError) {
        self.name = name
        let members = try reader.members(
            of: value, at: [], known: ["prefixes", "command", "user", "timeLimit", "comment"])
        guard let prefixes = members["prefixes"], let command = members["command"] else {
            throw ConfigurationError(
                position: reader.locations.position(of: []),
                message:
                    "prefixes and command are needed, as in { prefixes: [\"camera\"], command: "
                    + "[\"/usr/lib/camera/adapter\"] }")
        }
        self.prefixes = try Self.prefixes(reader, prefixes)
        self.command = try Self.command(reader, command)
        if let value = members["user"] { user = try Self.user(reader, value, users) } else { user = nil }
        let limit = try members["timeLimit"].map { value throws(ConfigurationError) in
            try reader.milliseconds(value, at: ["timeLimit"], in: Self.timeLimits)
        }
        timeLimit = .milliseconds(limit ?? Self.standardLimit)
        if let comment = members["comment"] { _ = try reader.text(comment, at: ["comment"]) }
    }

    private static func prefixes(
        _ reader: ConfigurationReader, _ value: JSONValue
    ) throws(ConfigurationError) -> [SettingPath] {
        var prefixes: [SettingPath] = []
        for (index, element) in try reader.elements(of: value, at: ["prefixes"]).enumerated() {
            let pointer = ["prefixes", String(index)]
            let path: SettingPath
            do {
                path = try SettingPath(try reader.text(element, at: pointer))
            } catch let error as ConfigurationError {
                throw error
            } catch {
                throw ConfigurationError(
                    position: reader.locations.position(of: pointer),
                    message: "the prefix is not a valid path of a setting: \(error)")
            }
            // The board's own settings are followed by the service.
            guard Schema.builtIn.lookup(path) == nil else {
                throw ConfigurationError(
                    position: reader.locations.position(of: pointer),
                    message: "\(path) is a setting of the board, which the service follows itself; name others")
            }
            prefixes.append(path)
        }
        guard !prefixes.isEmpty else { throw reader.refusal(of: value, at: ["prefixes"], "a list of paths") }
        return prefixes
    }

    private static func command(
        _ reader: ConfigurationReader, _ value: JSONValue
    ) throws(ConfigurationError) -> [String] {
        var command: [String] = []
        for (index, element) in try reader.elements(of: value, at: ["command"]).enumerated() {
            let argument = try reader.text(element, at: ["command", String(index)])
            guard !argument.utf8.contains(0) else {
                throw reader.refusal(of: element, at: ["command", String(index)], "a text without a NUL")
            }
            command.append(argument)
        }
        guard command.first?.utf8.first == UInt8(ascii: "/") else {
            throw reader.refusal(of: value, at: ["command"], "a list that begins with the absolute path of a program")
        }
        return command
    }

    private static func user(
        _ reader: ConfigurationReader, _ value: JSONValue, _ users: String
    ) throws(ConfigurationError) -> ChildCommand.User? {
        let name = try reader.text(value, at: ["user"])
        guard let user = UserDatabase.user(named: name, directory: users) else {
            throw ConfigurationError(
                position: reader.locations.position(of: ["user"]),
                message: "no user is called “\(name)” here; add one, or name another one")
        }
        if user.uid == ProcessSelf.uid { return nil }
        guard ProcessSelf.uid == 0 else {
            throw ConfigurationError(
                position: reader.locations.position(of: ["user"]),
                message: "the service is not root, so it cannot run a program as “\(name)”; omit user")
        }
        return ChildCommand.User(
            uid: user.uid, gid: user.gid, groups: UserDatabase.groups(ofUser: name, directory: users))
    }
}
