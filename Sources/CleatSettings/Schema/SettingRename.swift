import CleatJSON

/// A former name of one place in the tree (`x-cleat-renamed-from`).
///
/// A segment in braces matches any key of a map; the keys of the old path are those of the new one, in their order.
package struct SettingRename: Sendable, Hashable {
    /// The keyword that lists former names.
    package static let keyword = "x-cleat-renamed-from"
    /// The most former names of one place.
    static let maximumCount = 16

    /// The former path, as written in the schema.
    package let old: String
    /// The present place.
    package let new: String
    /// True if a group or a map was renamed, with all settings below it.
    let isGroup: Bool
    /// The place of the keyword in the schema.
    let pointer: [String]

    /// Reads the former names of a place.
    ///
    /// - Parameters:
    ///   - json: the keyword's value: a path or a list of paths, the latest first.
    ///   - place: the present place.
    ///   - isGroup: true if the place is a group or a map.
    ///   - pointer: the place of the keyword.
    /// - Returns: the names, or the fault in them.
    static func read(
        _ json: JSONValue, at place: String, isGroup: Bool, pointer: [String]
    ) -> (renames: [SettingRename], problem: String?) {
        let values = json.arrayValue ?? [json]
        guard !values.isEmpty, values.count <= maximumCount, !place.isEmpty else {
            let problem =
                place.isEmpty
                ? "“\(keyword)” is not at a setting or a group; move it to one"
                : "“\(keyword)” must be a path or a list of 1 to \(maximumCount) paths"
            return ([], problem)
        }
        var renames: [SettingRename] = []
        for value in values {
            guard let text = value.stringValue else {
                return ([], "“\(keyword)” must be a path or a list of 1 to \(maximumCount) paths")
            }
            do {
                _ = try SettingPath(text)
            } catch {
                return ([], "“\(keyword)” names what is not a valid path: \(error)")
            }
            let keys = segments(of: text).count { isKey($0) }
            guard keys == segments(of: place).count(where: isKey) else {
                return (
                    [],
                    "“\(keyword)” names “\(Excerpt.of(text))”, which must have as many keys in braces as “\(Excerpt.of(place))”"
                )
            }
            guard !ByteOrder.areEqual(text, place) else {
                return ([], "“\(keyword)” names the path that it is at; remove it")
            }
            renames.append(SettingRename(old: text, new: place, isGroup: isGroup, pointer: pointer))
        }
        return (renames, nil)
    }

    static func segments(of text: String) -> [Substring] { text.split(separator: "/") }

    static func isKey(_ segment: Substring) -> Bool {
        segment.utf8.count > 2 && segment.first == "{" && segment.last == "}"
    }

    /// Returns the present name of a path; nil if this rename does not apply to it.
    func applied(to path: SettingPath) -> SettingPath? {
        let old = Self.segments(of: old)
        let segments = Self.segments(of: path.text)
        guard isGroup ? segments.count >= old.count : segments.count == old.count else { return nil }
        var keys: [Substring] = []
        for (mine, theirs) in zip(old, segments) {
            if Self.isKey(mine) {
                keys.append(theirs)
            } else if mine.utf8.elementsEqual(theirs.utf8) == false {
                return nil
            }
        }
        var result: [Substring] = []
        for segment in Self.segments(of: new) {
            result.append(Self.isKey(segment) ? keys.removeFirst() : segment)
        }
        return try? SettingPath((result + segments[old.count...]).joined(separator: "/"))
    }
}

/// The former names of the settings and groups of a schema.
package struct RenameTable: Sendable {
    /// The most renames that are followed one after another.
    private static let longestChain = 8

    /// The renames, in the order of the schemas.
    package let all: [SettingRename]

    init(_ renames: [SettingRename] = []) {
        all = renames
    }

    /// True if nothing was renamed.
    var isEmpty: Bool { all.isEmpty }

    /// Follows the renames of a path.
    ///
    /// - Parameters:
    ///   - path: a path by a former name.
    ///   - isKnown: returns true for a path that is a present name.
    /// - Returns: the present name; nil if no rename leads to one.
    func presentName(of path: SettingPath, where isKnown: (SettingPath) -> Bool) -> SettingPath? {
        guard !all.isEmpty else { return nil }
        var path = path
        for _ in 0..<Self.longestChain {
            guard let next = renamed(path) else { return nil }
            if isKnown(next) { return next }
            path = next
        }
        return nil
    }

    /// Applies the rename with the longest old path; returns nil if none applies.
    private func renamed(_ path: SettingPath) -> SettingPath? {
        var best: (length: Int, path: SettingPath)?
        for rename in all where rename.old.utf8.count > best?.length ?? -1 {
            if let next = rename.applied(to: path) { best = (rename.old.utf8.count, next) }
        }
        return best?.path
    }

    /// Returns the rank of a former name among those of one path: the rename that is listed first has the lowest.
    func rank(of path: SettingPath) -> Int {
        all.firstIndex { $0.applied(to: path) != nil } ?? all.count
    }

    /// Finds the old paths that are claimed twice, and those that a schema still defines.
    ///
    /// - Parameters:
    ///   - schema: the schema that these renames are for.
    ///   - others: the renames that are in force already.
    /// - Returns: the conflicts, in the order of the renames.
    func conflicts(in schema: Schema, with others: RenameTable = RenameTable()) -> [SchemaError] {
        var claims: [JSONValue: String] = [:]
        for other in others.all { claims[.string(other.old)] = other.new }
        var problems: [SchemaError] = []
        for rename in all {
            if let other = claims.updateValue(rename.new, forKey: .string(rename.old)) {
                problems.append(
                    Self.conflict(
                        rename,
                        "“\(Excerpt.of(rename.old))” is the former name of “\(Excerpt.of(other))” and of "
                            + "“\(Excerpt.of(rename.new))”; it can be that of one"))
            }
            if schema.defines(rename.old) { problems.append(Self.stillDefined(rename)) }
        }
        return problems
    }

    /// Returns the error that an old path is still defined.
    static func stillDefined(_ rename: SettingRename) -> SchemaError {
        conflict(
            rename,
            "“\(Excerpt.of(rename.old))” cannot be the former name of “\(Excerpt.of(rename.new))” while a schema defines "
                + "it; remove one of the two")
    }

    private static func conflict(_ rename: SettingRename, _ message: String) -> SchemaError {
        SchemaError(code: .conflict, pointer: rename.pointer, keyword: SettingRename.keyword, message: message)
    }
}
