import CleatAPI
import CleatJSON
import CleatSettings

/// Settings that a user wrote, with their positions in the text.
struct SettingsDocument: Sendable {
    /// One setting of the text.
    struct Leaf: Hashable, Sendable {
        let path: SettingPath
        /// The value; nil if the text has null, which unsets the setting.
        let value: JSONValue?
    }

    /// A problem and its position.
    struct Problem: Error, Hashable, Sendable {
        var position: JSONPosition
        var message: String
        /// True if it concerns a setting that is not in the text.
        var isElsewhere = false
    }

    /// The settings, in the order of the text.
    let leaves: [Leaf]
    private let locations: JSONLocations
    /// The settings that were added and are not in the text.
    private var added: Set<SettingPath> = []

    /// The maximum size of a text, in bytes.
    static let maximumBytes = 8 << 20

    /// Parses JSON or JSON5.
    ///
    /// - Throws: the first problem.
    init(_ text: [UInt8]) throws(Problem) {
        let value: JSONValue
        do {
            (value, locations) = try JSONReader.readWithLocations(
                text, dialect: .json5,
                limits: .init(size: Self.maximumBytes, stringBytes: Self.maximumBytes, values: 1 << 20))
        } catch {
            throw Problem(position: error.position, message: error.message)
        }
        guard case .object(let object) = value else {
            throw Problem(
                position: locations.position(of: []) ?? JSONPosition(line: 1, column: 1),
                message:
                    "settings are an object, such as { system: { hostname: \"board\" } }, and not \(value.typeName)")
        }
        var leaves: [Leaf] = []
        try Self.collect(object, [], locations, into: &leaves)
        self.leaves = leaves
    }

    private static func collect(
        _ object: JSONObject, _ above: [String], _ locations: JSONLocations, into leaves: inout [Leaf]
    ) throws(Problem) {
        for (key, value) in object {
            let segments = above + [key]
            let path: SettingPath
            do {
                path = try SettingPath(segments: segments)
            } catch {
                throw Problem(
                    position: locations.position(ofKey: segments) ?? locations.nearestPosition(to: segments),
                    message: "this is not a valid name of a setting: \(error)")
            }
            if case .object(let below) = value, !below.isEmpty {
                try collect(below, segments, locations, into: &leaves)
            } else {
                leaves.append(Leaf(path: path, value: value.isNull ? nil : value))
            }
        }
    }

    private init(leaves: [Leaf], locations: JSONLocations) {
        self.leaves = leaves
        self.locations = locations
    }

    /// Returns the document with more settings, which are not in its text.
    func adding(_ more: [Leaf]) -> SettingsDocument {
        var document = SettingsDocument(leaves: leaves + more, locations: locations)
        document.added = added.union(more.map(\.path))
        return document
    }

    /// Returns true if a setting was added and is not in the text.
    func isElsewhere(_ path: String) -> Bool { (try? SettingPath(path)).map(added.contains) ?? false }

    /// Returns the position of a setting, or of the innermost object that would contain it.
    func position(of path: String) -> JSONPosition {
        guard let path = try? SettingPath(path) else { return JSONPosition(line: 1, column: 1) }
        return locations.nearestPosition(to: path.segments)
    }

    /// Returns the position of a setting's name.
    func position(ofKey path: SettingPath) -> JSONPosition {
        locations.position(ofKey: path.segments) ?? locations.nearestPosition(to: path.segments)
    }

    /// Parses a text whose settings must all be below a prefix.
    ///
    /// - Throws: the first problem, such as a setting outside the prefix.
    static func read(_ text: [UInt8], under prefix: SettingPath?) throws(Problem) -> SettingsDocument {
        let document = try SettingsDocument(text)
        if let problem = document.firstProblem(outside: prefix) { throw problem }
        return document
    }

    /// Returns a problem for the first setting outside a prefix; nil if there is none.
    private func firstProblem(outside prefix: SettingPath?) -> Problem? {
        guard let prefix, let leaf = leaves.first(where: { !prefix.isPrefix(of: $0.path) && !isAround(prefix, $0) })
        else { return nil }
        return Problem(position: position(ofKey: leaf.path), message: "\(leaf.path) is not below \(prefix)")
    }

    /// Returns true for an empty object above the prefix, which has no effect.
    private func isAround(_ prefix: SettingPath, _ leaf: Leaf) -> Bool {
        leaf.value == [:] && prefix.isBelow(leaf.path)
    }
}

extension SettingsDocument {
    /// Reads a file of settings that is named on the command line.
    ///
    /// - Parameters:
    ///   - file: the path of the file, or `-` for standard input.
    ///   - prefix: the path that all settings must be below; nil for the whole tree.
    /// - Returns: the file, its settings, and the parsed prefix.
    /// - Throws: a ``CommandError`` if the file cannot be read or parsed, or the prefix is not a valid path.
    static func read(
        file: String, prefix: String?
    ) throws(CommandError) -> (source: TextFile, document: SettingsDocument, path: SettingPath?) {
        let source = TextFile(name: file == "-" ? "standard input" : file)
        let text = try TextFile.read(file, limit: SettingsDocument.maximumBytes)
        var path: SettingPath?
        if let prefix {
            do {
                path = try SettingPath(prefix)
            } catch {
                throw CommandError(APIError.invalidPath(path: prefix, message: "\(error)"))
            }
        }
        do {
            return (source, try SettingsDocument.read(text, under: path), path)
        } catch {
            throw source.refusal(error)
        }
    }
}

extension SettingsDocument {
    /// Returns the service's refusals with their positions in the text; nil for any other error.
    func problems(about error: CommandError) -> [Problem]? {
        guard let known = APIError(name: error.code, parameters: error.parameters) else { return nil }
        switch known {
        case .invalidValue(let problems), .settingLocked(let problems):
            return problems.map {
                Problem(
                    position: position(of: $0.path), message: "\($0.path): \($0.reason)",
                    isElsewhere: isElsewhere($0.path))
            }
        case .unknownSetting(let path, let message), .invalidPath(let path, let message):
            return [Problem(position: position(of: path), message: message)]
        default: return nil
        }
    }
}

extension CommandError {
    /// Returns the error with the position in the text before each refusal.
    func located(in document: SettingsDocument, _ source: TextFile) -> CommandError {
        guard let problems = document.problems(about: self) else { return self }
        var error = self
        error.details = problems.map { $0.isElsewhere ? $0.message : source.line($0.position, $0.message) }
        return error
    }

    /// True if the settings have changed since the generation that the change was based on.
    var isConflict: Bool {
        if case .conflict = APIError(name: code, parameters: parameters) { true } else { false }
    }
}
