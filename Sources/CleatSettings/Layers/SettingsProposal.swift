import CleatJSON

/// The result of a set of changes before it is committed.
package struct SettingsProposal: Sendable {
    /// The most problems that are listed.
    package static let maximumProblems = 256

    /// The settings with the changes made.
    package let settings: LayeredSettings
    /// The committed rows that the changes alter, in order.
    package let differences: [SettingDifference]
    /// The volatile rows that the changes alter, in order.
    package let volatileDifferences: [SettingDifference]
    /// The problems with the changes, in order of the paths, up to ``maximumProblems``.
    package let problems: [SettingProblem]
    /// The number of problems, including those that are not listed.
    package let problemCount: Int

    /// True if nothing would change.
    package var isEmpty: Bool { differences.isEmpty && volatileDifferences.isEmpty }

    /// Checks changes against the schema and the locks, and applies them to a copy of settings.
    init(
        _ changes: ChangeSet, in settings: LayeredSettings, to layer: ResolvedSetting.Origin,
        besides others: [SettingProblem], rewritesSecrets: Bool
    ) {
        var draft = SettingsDraft(settings, layer: layer, rewritesSecrets: rewritesSecrets)
        draft.add(others)
        for change in changes.changes {
            draft.make(change)
        }
        draft.checkGroups()
        draft.checkSize()
        self = draft.proposal
    }

    /// Removes all committed and volatile rows under a prefix from a copy of settings.
    init(resetting before: LayeredSettings, under prefix: SettingPath?) {
        var after = before
        var differences: [ResolvedSetting.Origin: [SettingDifference]] = [:]
        for layer in [ResolvedSetting.Origin.committed, .volatile] {
            let gone = before[layer].rows(under: prefix).map {
                SettingDifference(path: $0.path, old: $0.value, new: nil)
            }
            if gone.isEmpty { continue }
            after.change(layer) { stored in
                if prefix == nil {
                    stored.rows = SettingsTree()
                } else {
                    stored.rows.apply(gone)
                }
                for difference in gone { stored.inactive[difference.path] = nil }
            }
            differences[layer] = gone
        }
        let committed = after.committedLayer.persistRenames(
            with: differences[.committed] ?? [], since: before.committedLayer)
        let volatile = differences[.volatile] ?? []
        if !volatile.isEmpty { after.volatileLayer.former = [:] }
        let problems =
            prefix == nil
            ? [] : GroupCheck(before: before, after: after, differences: committed + volatile).problems()
        self.init(
            settings: after, differences: committed, volatileDifferences: volatile,
            problems: Array(problems.prefix(Self.maximumProblems)), problemCount: problems.count)
    }

    fileprivate init(
        settings: LayeredSettings, differences: [SettingDifference], volatileDifferences: [SettingDifference],
        problems: [SettingProblem], problemCount: Int
    ) {
        self.settings = settings
        self.differences = differences
        self.volatileDifferences = volatileDifferences
        self.problems = problems
        self.problemCount = problemCount
    }
}

/// Applies changes to a copy of settings, and gathers the problems.
private struct SettingsDraft {
    let before: LayeredSettings
    /// The layer that is written.
    let layer: ResolvedSetting.Origin
    /// True if a secret that is set to its current value counts as changed, so that callers do not learn that.
    let rewritesSecrets: Bool
    var after: LayeredSettings
    private var differences: [SettingDifference] = []
    private var problems: [SettingProblem] = []
    private var problemCount = 0

    init(_ before: LayeredSettings, layer: ResolvedSetting.Origin, rewritesSecrets: Bool) {
        self.before = before
        self.layer = layer
        self.rewritesSecrets = rewritesSecrets
        after = before
    }

    var proposal: SettingsProposal {
        var after = after
        var sorted = differences.sortedByPath()
        if layer == .committed {
            sorted = after.committedLayer.persistRenames(with: sorted, since: before.committedLayer)
        } else if !sorted.isEmpty {
            after.volatileLayer.former = [:]
        }
        return SettingsProposal(
            settings: after, differences: layer == .committed ? sorted : [],
            volatileDifferences: layer == .volatile ? sorted : [],
            problems: problems.sortedByPath(), problemCount: problemCount)
    }

    mutating func add(_ new: [SettingProblem]) {
        problemCount += new.count
        problems += new.prefix(SettingsProposal.maximumProblems - problems.count)
    }

    // MARK: Changes

    mutating func make(_ change: Change) {
        let denied = denials(of: change)
        add(denied)
        guard let value = change.value else { return unset(change.path, isDenied: !denied.isEmpty) }
        let path = change.path
        let place = after.schema.place(of: path)
        switch place {
        case .group where value == .object([:]): return
        case .entry where value == .object([:]): if denied.isEmpty { apply(Change(path, value)) }
        case .setting(let node):
            let canonical = node.canonical(value)
            let found = after.schema.problems(with: canonical, at: path, place)
            add(found)
            if found.isEmpty, denied.isEmpty { apply(Change(path, canonical)) }
        default: add(after.schema.problems(with: value, at: path, place, suggesting: problems.count < 16))
        }
    }

    private mutating func unset(_ path: SettingPath, isDenied: Bool) {
        if after.schema.lookup(path) == nil, !after[layer].contains(path) {
            add([after.schema.unknown(path, suggesting: problems.count < 16)])
            return
        }
        if !isDenied { apply(Change(path, nil)) }
    }

    /// Returns the problems with locks: at the path of a change, or at rows below it that the change would remove.
    private func denials(of change: Change) -> [SettingProblem] {
        let locks = after.locks
        if locks.isEmpty { return [] }
        let path = change.path
        if let lock = locks[path], lock.layer < layer, after.schema.lookup(path) != nil || after[layer].contains(path) {
            return [lock.denied(at: path)]
        }
        guard change.value.map({ $0.objectValue == nil }) ?? true, locks.splits(path) else { return [] }
        return after[layer].rows(under: path).compactMap { row in
            guard let lock = locks[row.path], lock.layer < layer else { return nil }
            return lock.denied(at: row.path)
        }
    }

    private mutating func apply(_ change: Change) {
        let first = differences.count
        after.change(layer) { $0.rows.apply(change, recording: &differences) }
        if rewritesSecrets, differences.count == first, let value = after[layer][change.path],
            after.schema.hides(change.path)
        {
            differences.append(SettingDifference(path: change.path, old: value, new: value))
        }
        after.change(layer) { stored in
            // A value that is set here was validated; a removed one can no longer be refused.
            for difference in differences[first...] { stored.inactive[difference.path] = nil }
            // A stored value that was refused before may be set again unchanged, and is validated again.
            stored.inactive[change.path] = nil
        }
    }

    // MARK: The whole

    mutating func checkGroups() {
        add(GroupCheck(before: before, after: after, differences: differences).problems())
    }

    mutating func checkSize() {
        guard let path = differences.first?.path else { return }
        let (old, new) = (before[layer], after[layer])
        let isVolatile = layer == .volatile
        let words = isVolatile ? "volatile settings" : "settings"
        let count = isVolatile ? LayeredSettings.maximumVolatileCount : LayeredSettings.maximumCount
        if new.count > count, new.count > old.count {
            add([
                SettingProblem(
                    path: path, value: nil, code: .limit,
                    reason: "would make more than \(count) \(words); unset some first")
            ])
        }
        let bytes = isVolatile ? LayeredSettings.maximumVolatileBytes : LayeredSettings.maximumBytes
        if new.bytes > bytes, new.bytes > old.bytes {
            add([
                SettingProblem(
                    path: path, value: nil, code: .limit,
                    reason: "would make the \(words) larger than \(bytes) bytes; unset some first")
            ])
        }
    }
}
