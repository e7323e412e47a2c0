import CleatOrder

extension Schema {
    /// One setting or group of the schema, by its path or its pattern below maps.
    package struct Entry: Sendable {
        /// The path, with names in braces for the keys of maps: `network/interfaces/{name}/mtu`.
        package let pattern: String
        /// The schema of the values at the path.
        package let node: SchemaNode
    }

    /// Returns the settings below a path in the order of the bytes of their patterns.
    ///
    /// - Parameter prefix: nil for all; a map's key in it is kept in the patterns.
    /// - Returns: the settings; none if the schema does not know the path.
    package func entries(under prefix: SettingPath? = nil) -> [Entry] {
        guard let node = prefix.map(lookup) ?? root else { return [] }
        var result: [Entry] = []
        Self.collect(node, prefix?.text, into: &result)
        return result.ordered { ByteOrder.precedes($0.pattern, $1.pattern) }
    }

    private static func collect(_ node: SchemaNode, _ path: String?, into result: inout [Entry]) {
        guard node.isInterior else {
            result.append(Entry(pattern: path ?? "", node: node))
            return
        }
        func below(_ name: String) -> String { path.map { "\($0)/\(name)" } ?? name }
        for (name, property) in node.object.properties {
            collect(property, below(SettingPath.escaped(name)), into: &result)
        }
        for (_, entry) in node.object.patterns { collect(entry, below("{\(node.keyName)}"), into: &result) }
        switch node.object.additional {
        case .closed: break
        case .any: result.append(Entry(pattern: below("{\(node.keyName)}"), node: .any))
        case .entries(let entry): collect(entry, below("{\(node.keyName)}"), into: &result)
        }
    }

    /// Returns the groups and maps below a path, and at it, in the order of the bytes of their patterns.
    ///
    /// - Parameter prefix: nil for all; the top of the tree is not included.
    /// - Returns: the groups and maps; none if the schema does not know the path.
    package func groups(under prefix: SettingPath? = nil) -> [Entry] {
        guard let node = prefix.map(lookup) ?? root else { return [] }
        var result: [Entry] = []
        Self.collectGroups(node, prefix?.text, into: &result)
        return result.ordered { ByteOrder.precedes($0.pattern, $1.pattern) }
    }

    private static func collectGroups(_ node: SchemaNode, _ path: String?, into result: inout [Entry]) {
        guard node.isInterior else { return }
        if let path { result.append(Entry(pattern: path, node: node)) }
        func below(_ name: String) -> String { path.map { "\($0)/\(name)" } ?? name }
        for (name, property) in node.object.properties {
            collectGroups(property, below(SettingPath.escaped(name)), into: &result)
        }
        for entry in node.object.entryKinds { collectGroups(entry, below("{\(node.keyName)}"), into: &result) }
    }
}
