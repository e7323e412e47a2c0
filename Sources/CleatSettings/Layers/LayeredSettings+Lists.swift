import CleatJSON

extension LayeredSettings {
    /// Converts edits of lists to changes of the current lists.
    ///
    /// An edit starts from the value in force, which can be a default; but volatile values do not become part of
    /// committed ones. The edits of one list are made in their order. A list that is the same afterwards is not changed
    /// at all.
    ///
    /// - Parameters:
    ///   - edits: the elements to add and remove.
    ///   - layer: the layer that is written.
    /// - Returns: the lists to set, and the problems of the lists that cannot be edited.
    package func changes(
        for edits: [ListEdit], to layer: ResolvedSetting.Origin
    ) -> (changes: [Change], problems: [SettingProblem]) {
        var order: [SettingPath] = []
        var lists: [SettingPath: (node: SchemaNode, old: [JSONValue], new: [JSONValue])] = [:]
        var problems: [SettingProblem] = []
        var refused: Set<SettingPath> = []
        for edit in edits where !refused.contains(edit.path) {
            if lists[edit.path] == nil {
                let found = list(at: edit.path, layer, suggesting: problems.count < 16)
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
        at path: SettingPath, _ layer: ResolvedSetting.Origin, suggesting: Bool
    ) -> (node: SchemaNode?, values: [JSONValue]?, problems: [SettingProblem]) {
        guard case .setting(let node) = schema.place(of: path) else {
            if schema.lookup(path) == nil { return (nil, nil, [schema.unknown(path, suggesting: suggesting)]) }
            return (nil, nil, [Self.noList(path, "is a group of settings")])
        }
        if let lock = locks[path], lock.layer < layer { return (nil, nil, [lock.denied(at: path)]) }
        guard node.types.isEmpty || node.types.contains(.array) else {
            return (nil, nil, [Self.noList(path, "holds one value")])
        }
        switch holding(at: path, node, upTo: layer)?.value ?? node.defaultValue {
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
