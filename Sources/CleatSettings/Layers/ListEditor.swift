import CleatJSON

/// Converts edits of lists to changes of the current lists.
struct ListEditor {
    let settings: LayeredSettings
    /// The layer that is written.
    let layer: ResolvedSetting.Origin

    /// Returns the lists to set, and the problems of the lists that cannot be edited.
    func changes(for edits: [ListEdit]) -> (changes: [Change], problems: [SettingProblem]) {
        var order: [SettingPath] = []
        var lists: [SettingPath: (node: SchemaNode, old: [JSONValue], new: [JSONValue])] = [:]
        var problems: [SettingProblem] = []
        var refused: Set<SettingPath> = []
        for edit in edits where !refused.contains(edit.path) {
            if lists[edit.path] == nil {
                let found = list(at: edit.path, suggesting: problems.count < 16)
                problems += found.problems
                guard let node = found.node, let values = found.values else {
                    refused.insert(edit.path)
                    continue
                }
                order.append(edit.path)
                lists[edit.path] = (node, values, values)
            }
            let node = lists[edit.path]?.node
            lists[edit.path]?.new.make(edit, node)
        }
        let changes = order.compactMap { path -> Change? in
            guard let list = lists[path], list.old != list.new else { return nil }
            return Change(path, .array(list.new))
        }
        return (changes, problems)
    }

    private func list(
        at path: SettingPath, suggesting: Bool
    ) -> (node: SchemaNode?, values: [JSONValue]?, problems: [SettingProblem]) {
        guard case .setting(let node) = settings.schema.place(of: path) else {
            if settings.schema.lookup(path) == nil {
                return (nil, nil, [settings.schema.unknown(path, suggesting: suggesting)])
            }
            return (nil, nil, [Self.noList(path, "is a group of settings")])
        }
        if let lock = settings.locks[path], lock.layer < layer { return (nil, nil, [lock.denied(at: path)]) }
        guard node.types.isEmpty || node.types.contains(.array) else {
            return (nil, nil, [Self.noList(path, "holds one value")])
        }
        switch settings.holding(at: path, node, upTo: layer)?.value ?? node.defaultValue {
        case .array(let values): return (node, values, [])
        case nil: return (node, [], [])
        default: return (nil, nil, [Self.noList(path, "holds a single value at present")])
        }
    }

    private static func noList(_ path: SettingPath, _ what: String) -> SettingProblem {
        SettingProblem(
            path: path, value: nil, code: .type, reason: "\(what), not a list: nothing can be added or removed; set it")
    }
}

extension [JSONValue] {
    fileprivate mutating func make(_ edit: ListEdit, _ node: SchemaNode?) {
        // The element in the form in which the list stores it.
        let canonical = node?.canonical(.array([edit.element])).arrayValue?.first ?? edit.element
        switch edit.operation {
        case .add: if !contains(canonical) { append(canonical) }
        case .remove: removeAll { $0 == canonical }
        }
    }
}
