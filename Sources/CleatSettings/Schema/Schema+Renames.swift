import CleatJSON

extension Schema {
    /// The most renames that are followed one after another.
    private static let longestChain = 8

    /// Returns the present name of a path that the schema does not know.
    ///
    /// - Parameter path: a path by a former name.
    /// - Returns: a path that the schema knows; nil if no rename leads to one.
    package func newName(of path: SettingPath) -> SettingPath? {
        guard !renames.isEmpty else { return nil }
        var path = path
        for _ in 0..<Self.longestChain {
            guard let next = renamed(path) else { return nil }
            if lookup(next) != nil { return next }
            path = next
        }
        return nil
    }

    /// Applies the rename with the longest old path; returns nil if none applies.
    private func renamed(_ path: SettingPath) -> SettingPath? {
        var best: (length: Int, path: SettingPath)?
        for rename in renames where rename.old.utf8.count > best?.length ?? -1 {
            if let next = rename.applied(to: path) { best = (rename.old.utf8.count, next) }
        }
        return best?.path
    }

    /// Returns the rank of a former name among those of one path: the rename that is listed first has the lowest.
    func rank(of path: SettingPath) -> Int {
        renames.firstIndex { $0.applied(to: path) != nil } ?? renames.count
    }

    /// Finds the conflicts of renames.
    ///
    /// - Parameters:
    ///   - renames: the renames to check.
    ///   - others: the renames that are in force already.
    /// - Returns: old paths that are claimed twice, and old paths that the schema still defines.
    func conflicts(of renames: [SettingRename], with others: [SettingRename] = []) -> [SchemaError] {
        var claims: [JSONValue: String] = [:]
        for other in others { claims[.string(other.old)] = other.new }
        var problems: [SchemaError] = []
        for rename in renames {
            if let other = claims.updateValue(rename.new, forKey: .string(rename.old)) {
                problems.append(
                    Self.conflict(
                        rename,
                        "“\(Excerpt.of(rename.old))” is the former name of “\(Excerpt.of(other))” and of "
                            + "“\(Excerpt.of(rename.new))”; it can be that of one"))
            }
            if defines(rename.old) { problems.append(stillDefined(rename)) }
        }
        return problems
    }

    /// Returns the error that an old path is still defined.
    func stillDefined(_ rename: SettingRename) -> SchemaError {
        Self.conflict(
            rename,
            "“\(Excerpt.of(rename.old))” cannot be the former name of “\(Excerpt.of(rename.new))” while a schema defines "
                + "it; take one of the two away")
    }

    private static func conflict(_ rename: SettingRename, _ message: String) -> SchemaError {
        SchemaError(code: .conflict, pointer: rename.pointer, keyword: SettingRename.keyword, message: message)
    }

    /// Returns true if the schema defines a path, with keys in braces for those of maps.
    func defines(_ pattern: String) -> Bool {
        var node = root
        for segment in SettingRename.segments(of: pattern) {
            guard node.isInterior || node.types.isEmpty else { return false }
            let name = SettingPath.unescaped(segment)
            if SettingRename.isKey(segment) {
                guard let entry = node.object.entryKinds.first else {
                    if case .any = node.object.additional { return true }
                    return false
                }
                node = entry
            } else if let next = node.object.property(name) ?? node.object.entry(name) {
                if node.object.property(name) == nil,
                    node.object.propertyNames?.firstProblem(with: .string(name)) != nil
                {
                    return false
                }
                node = next
            } else if case .any = node.object.additional {
                return true
            } else {
                return false
            }
        }
        return true
    }
}
