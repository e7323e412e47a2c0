import CleatJSON

/// Finds the rows at former names, and their present names.
struct RowRenames {
    /// The former names of moved rows, by their present names.
    private(set) var former: [SettingPath: SettingPath] = [:]
    /// The rows under their present names.
    private(set) var tree: SettingsTree
    /// The rows that the schema refuses.
    private(set) var inactive: [SettingPath: SettingProblem] = [:]

    /// Checks and renames the rows of one layer.
    ///
    /// A row at a former name moves to its new name, unless there is a row at the new name, above it or below it. Of
    /// several rows that would move to one name, the one whose former name the schema lists first moves.
    init(_ rows: SettingsTree, _ schema: Schema) {
        tree = rows
        for row in rows.joined {
            if let problem = schema.problems(with: row.value, at: row.path).first { inactive[row.path] = problem }
        }
        guard !schema.renames.isEmpty else { return }
        var claims: [(rank: Int, old: SettingPath, new: SettingPath)] = []
        for (path, problem) in inactive where problem.code == .unknown || problem.code == .key {
            guard let name = schema.newName(of: path) else { continue }
            switch schema.place(of: name) {
            case .setting, .entry: claims.append((schema.rank(of: path), path, name))
            default: break
            }
        }
        claims.sort { ($0.rank, $0.old) < ($1.rank, $1.old) }
        for claim in claims where tree.hasRoom(at: claim.new) {
            guard let value = rows[claim.old] else { continue }
            tree.apply([
                SettingDifference(path: claim.old, old: value, new: nil),
                SettingDifference(path: claim.new, old: nil, new: value),
            ])
            former[claim.new] = claim.old
            inactive[claim.old] = nil
            inactive[claim.new] = schema.problems(with: value, at: claim.new).first
        }
    }
}

extension SettingsTree {
    /// Returns true if there are no rows at a path, above it or below it.
    fileprivate func hasRoom(at path: SettingPath) -> Bool {
        if contains(path) { return false }
        var above = path.parent
        while let place = above {
            if self[place] != nil { return false }
            above = place.parent
        }
        return true
    }

    /// Returns the rows with their former names restored.
    func withFormerNames(_ former: [SettingPath: SettingPath]) -> SettingsTree {
        var result = self
        for (new, old) in former {
            guard let value = self[new] else { continue }
            result.apply([
                SettingDifference(path: new, old: value, new: nil), SettingDifference(path: old, old: nil, new: value),
            ])
        }
        return result
    }
}
