import CleatOrder

/// The rows of the committed or of the volatile layer, checked against a schema and under their present names.
struct StoredLayer: Sendable {
    /// The most former names that one commit rewrites; the remaining ones wait for the next commit.
    private static let renamesPerCommit = 30_000

    /// The rows under their present names.
    var rows: SettingsTree
    /// The rows that the schema refuses, with the reasons.
    var inactive: [SettingPath: SettingProblem] = [:]
    /// The former names of moved rows, by their present names.
    var former: [SettingPath: SettingPath] = [:]

    /// Makes a layer without rows.
    init() {
        rows = SettingsTree()
    }

    /// Checks and renames the rows of one layer.
    ///
    /// A row at a former name moves to its new name, unless there is a row at the new name, above it or below it. Of
    /// several rows that would move to one name, the one whose former name the schema lists first moves.
    init(_ rows: SettingsTree, _ schema: Schema) {
        self.rows = rows
        var cursor = SchemaCursor(schema)
        for row in rows.joined {
            let problems = schema.problems(with: row.value, at: row.path, cursor.place(of: row.path))
            if let problem = problems.first { inactive[row.path] = problem }
        }
        guard !schema.renames.isEmpty else { return }
        var claims: [(rank: Int, old: SettingPath, new: SettingPath)] = []
        for (path, problem) in inactive where problem.code == .unknown || problem.code == .key {
            guard let name = schema.newName(of: path) else { continue }
            switch schema.place(of: name) {
            case .setting, .entry: claims.append((schema.renames.rank(of: path), path, name))
            default: break
            }
        }
        claims = claims.ordered { ($0.rank, $0.old) < ($1.rank, $1.old) }
        for claim in claims where self.rows.hasSpace(at: claim.new) {
            guard let value = rows[claim.old] else { continue }
            self.rows.apply([
                SettingDifference(path: claim.old, old: value, new: nil),
                SettingDifference(path: claim.new, old: nil, new: value),
            ])
            former[claim.new] = claim.old
            inactive[claim.old] = nil
            inactive[claim.new] = schema.problems(with: value, at: claim.new).first
        }
    }

    /// The rows with their former names restored.
    var storedRows: SettingsTree {
        var result = rows
        for (new, old) in former {
            guard let value = rows[new] else { continue }
            result.apply([
                SettingDifference(path: new, old: value, new: nil), SettingDifference(path: old, old: nil, new: value),
            ])
        }
        return result
    }

    /// Adds the rows that are renamed with a commit to its changes.
    ///
    /// - Parameters:
    ///   - differences: the changes that the commit makes in memory, in order.
    ///   - before: the layer before the commit.
    /// - Returns: the changes that the commit makes in the store, in order.
    mutating func persistRenames(
        with differences: [SettingDifference], since before: StoredLayer
    ) -> [SettingDifference] {
        guard !differences.isEmpty, !before.former.isEmpty else { return differences }
        var moved: [SettingPath: SettingPath] = [:]
        // The rows that the commit itself changes must be renamed now.
        for difference in differences { moved[difference.path] = before.former[difference.path] }
        for (new, old) in before.former.ordered(by: { $0.key < $1.key }) {
            if moved.count >= Self.renamesPerCommit { break }
            moved[new] = old
        }
        var result = differences.filter { moved[$0.path] == nil }
        for (new, old) in moved {
            former[new] = nil
            result.append(SettingDifference(path: old, old: before.rows[new], new: nil))
            if let value = rows[new] { result.append(SettingDifference(path: new, old: nil, new: value)) }
        }
        return result.sortedByPath()
    }
}

extension SettingsTree {
    /// Returns true if there are no rows at a path, above it or below it.
    fileprivate func hasSpace(at path: SettingPath) -> Bool {
        if contains(path) { return false }
        var above = path.parent
        while let place = above {
            if self[place] != nil { return false }
            above = place.parent
        }
        return true
    }
}
