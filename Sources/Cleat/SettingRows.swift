import CleatSettings
public import CleatViews

extension Cleat {
    /// Reads settings as rows that a form, a page of a terminal or a web page shows and edits.
    ///
    /// Settings of map entries have rows if the entry exists.
    /// - Parameter prefix: the path of a setting, or of a group of settings; nil for all.
    /// - Returns: the rows directly below the path, those of groups with their rows; the row of a setting.
    /// - Throws: ``CleatError`` with the code `refused` for an unknown path.
    public func rows(below prefix: String? = nil) async throws(CleatError) -> [SettingRow] {
        let path: SettingPath?
        do {
            path = try prefix.map { try SettingPath($0) }
        } catch {
            throw CleatError(.refused, "\(error)")
        }
        let described = try await backend.describe(path)
        return RowBuilder(described, try await backend.view(under: path).0).rows(below: path)
    }

    /// Makes the edits of rows in one transaction: either all changes are made, or none.
    ///
    /// - Parameters:
    ///   - rows: the rows of settings and groups; those that are not edited are not changed.
    ///   - comment: the comment in the history, at most 1,024 bytes.
    /// - Throws: ``CleatError``: `refused` with every problem, such as a rule over several settings, `locked`, `pending`,
    ///   `unreachable`.
    public func save(_ rows: [SettingRow], comment: String? = nil) async throws(CleatError) {
        let changes: ChangeSet
        do {
            changes = try ChangeSet(rows.changes)
        } catch {
            throw CleatError(.refused, "the changes cannot be made; nothing was changed: \(error)")
        }
        if !changes.isEmpty { try await commit(changes, expect: nil, comment) }
    }
}
