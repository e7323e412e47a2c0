import CleatJSON

/// The schema of a part of a setting's value: an element of a list, or a member of an object in it.
package struct SchemaPart: Sendable {
    /// The subschemas of the part in each file.
    private let sources: [(schema: JSONSchema, ids: [Int])]
    /// True if the part is a secret, or may contain one.
    package let isSecret: Bool

    init?(_ sources: [(schema: JSONSchema, ids: [Int])], isSecret: Bool) {
        let sources = sources.filter { !$0.ids.isEmpty }
        if sources.isEmpty { return nil }
        self.sources = sources
        self.isSecret =
            isSecret
            || sources.contains { schema, ids in
                schema.closure(of: ids).contains { schema.nodes[$0].annotations?.isWriteOnly == true }
            }
    }

    /// The types of the value; empty if any is accepted.
    package var types: SettingTypes {
        var result: SettingTypes?
        for (schema, ids) in sources {
            for case .type(let types) in schema.sure(ids).flatMap({ schema.nodes[$0].rules }) {
                result = result.map { $0.intersection(types) } ?? types
            }
        }
        return result ?? []
    }

    /// The schema of the elements; nil if the schema describes none.
    package var element: SchemaPart? {
        SchemaPart(sources.map { SchemaPart.elements($0.schema, $0.ids) }, isSecret: isSecret)
    }

    /// Returns the schema of a member; nil if no file describes one of that name.
    package func member(_ name: String) -> SchemaPart? {
        SchemaPart(
            sources.map { schema, ids in
                var targets: [Int] = []
                for rules in SchemaPart.members(schema, ids) {
                    let matching = rules.patterns.filter { $0.pattern.matches(name) }.map(\.schema)
                    targets += matching
                    if let named = rules.named[name] {
                        targets.append(named)
                    } else if matching.isEmpty, let additional = rules.additional, !schema.nodes[additional].isFree {
                        targets.append(additional)
                    }
                }
                return (schema, targets.filter { !schema.nodes[$0].isNever })
            }, isSecret: isSecret)
    }

    /// True if the part is a map: an object whose members have names of the user's choice only.
    package var isMap: Bool {
        guard types == .object else { return false }
        let rules = sources.flatMap { SchemaPart.members($0.schema, $0.ids) }
        return !rules.isEmpty && rules.allSatisfy { $0.named.names.isEmpty }
    }

    /// The schema of the members of a map; nil if they do not all have the same one.
    package var entry: SchemaPart? {
        SchemaPart(
            sources.map { schema, ids in
                let targets = SchemaPart.members(schema, ids).flatMap { rules in
                    rules.patterns.map(\.schema) + [rules.additional].compactMap { $0 }
                }
                let described = targets.filter { !schema.nodes[$0].isNever && !schema.nodes[$0].isFree }
                return (schema, described.count == 1 ? described : [])
            }, isSecret: isSecret)
    }

    private static func members(_ schema: JSONSchema, _ ids: [Int]) -> [MemberRules] {
        schema.closure(of: ids).flatMap { schema.nodes[$0].rules }.compactMap { rule in
            if case .members(let rules) = rule { rules } else { nil }
        }
    }

    static func elements(_ schema: JSONSchema, _ ids: [Int]) -> (schema: JSONSchema, ids: [Int]) {
        var steps = 100_000
        // The schema of an index beyond the elements that are described one by one.
        let below = schema.below(schema.closure(of: ids), .index(.max), isSure: true, steps: &steps)
        return (schema, below.filter { !schema.nodes[$0].isNever })
    }
}

extension Subschema {
    /// True if the subschema accepts any value and has no annotations.
    fileprivate var isFree: Bool { rules.isEmpty && annotations == nil }
}
