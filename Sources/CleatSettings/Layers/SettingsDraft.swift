import CleatJSON

/// Applies changes to a copy of settings, and gathers the problems.
struct SettingsDraft {
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
        var sorted = differences.sorted { $0.path < $1.path }
        if layer == .committed {
            sorted = after.persistRenames(with: sorted, since: before)
        } else if !sorted.isEmpty {
            after.renamedVolatile = [:]
        }
        return SettingsProposal(
            settings: after, differences: layer == .committed ? sorted : [],
            volatileDifferences: layer == .volatile ? sorted : [],
            problems: problems.sorted { $0.path < $1.path }, problemCount: problemCount)
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
        switch after.schema.place(of: path) {
        case .group where value == .object([:]): return
        case .entry where value == .object([:]): if denied.isEmpty { apply(Change(path, value)) }
        case .setting(let node):
            let canonical = node.canonical(value)
            let found = after.schema.problems(with: canonical, at: path)
            add(found)
            if found.isEmpty, denied.isEmpty { apply(Change(path, canonical)) }
        default: add(after.schema.problems(with: value, at: path, suggesting: problems.count < 16))
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
        after.change(layer) { $0.apply(change, recording: &differences) }
        if rewritesSecrets, differences.count == first, let value = after[layer][change.path],
            after.schema.hides(change.path)
        {
            differences.append(SettingDifference(path: change.path, old: value, new: value))
        }
        for difference in differences[first...] {
            // A value that is set here was validated; a removed one can no longer be refused.
            after.setRefusal(nil, of: layer, at: difference.path)
        }
        // A stored value that was refused before may be set again unchanged, and is validated again.
        after.setRefusal(nil, of: layer, at: change.path)
    }

    // MARK: The whole

    mutating func checkGroups() {
        add(after.schema.groupProblems(of: differences, before: before, after: after))
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

extension LayeredSettings {
    /// Changes the tree of the committed or the volatile layer.
    mutating func change(_ layer: ResolvedSetting.Origin, _ body: (inout SettingsTree) -> Void) {
        if layer == .volatile {
            body(&volatile)
        } else {
            body(&committed)
        }
    }

    mutating func setRefusal(_ problem: SettingProblem?, of layer: ResolvedSetting.Origin, at path: SettingPath) {
        if layer == .volatile {
            inactiveVolatile[path] = problem
        } else {
            inactive[path] = problem
        }
    }
}
