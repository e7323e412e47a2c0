import CleatJSON
import CleatOrder

/// Builds the tree of settings from a compiled schema.
///
/// An object in the tree is a group: without `additionalProperties` it accepts only its named properties. In the items
/// of a list, where an object is part of a value, JSON Schema's own rule applies: it accepts any others too.
///
/// The subschemas of `$ref` and `allOf` belong to the place itself. The members that the branches of `anyOf`, `oneOf`,
/// `if` and `dependentSchemas` name are known as well, but the rules of the branches only apply to whole groups.
struct SchemaTreeBuilder {
    /// The most places that the tree may have.
    static let maximumCount = 20_000

    let schema: JSONSchema
    let file: String
    private var problems: [SchemaError] = []
    private var count = 0
    /// The former names of places.
    private(set) var renames: [SettingRename] = []
    /// The remaining work for following references and matching names.
    private var steps: Int
    /// The groups that are being built, each by its subschemas: a group inside itself would be infinite.
    private var open: [[Int]] = []
    /// The subschemas that are secrets, or that may describe one inside a value.
    private let secrets: Set<Int>
    /// True inside a group that is a secret, so that all its settings are secrets.
    private var isInsideSecret = false

    init(schema: JSONSchema, file: String, steps: Int = 50_000_000) {
        self.steps = steps
        self.schema = schema
        self.file = file
        secrets = schema.secretHolders
    }

    mutating func build() throws(SchemaErrors) -> SchemaNode {
        let root = node([0], maybe: [], place: "")
        if problems.isEmpty, !root.node.isInterior {
            add(.invalidTree, 0, "type", "“type” must be “object” at the top")
        }
        if !problems.isEmpty { throw SchemaErrors(Array(problems.prefix(SchemaErrors.maximumCount)), file: file) }
        return root.node
    }

    private mutating func add(_ code: SchemaError.Code, _ id: Int, _ keyword: String?, _ message: String) {
        guard problems.count < SchemaErrors.maximumCount else { return }
        let pointer = schema.pointer(of: id) + (keyword.map { [$0] } ?? [])
        problems.append(SchemaError(code: code, pointer: pointer, keyword: keyword, message: message))
    }

    /// Builds the node of one place.
    ///
    /// - Parameters:
    ///   - starts: the subschemas that apply unconditionally.
    ///   - maybe: the subschemas that apply under a condition.
    ///   - place: the path, with names in braces for keys.
    /// - Returns: the node, and the members that the file describes.
    private mutating func node(
        _ starts: [Int], maybe: [Int], place: String
    ) -> (node: SchemaNode, known: KnownMembers) {
        let sure = schema.sure(starts)
        let branches = sure.flatMap { schema.nodes[$0].rules.flatMap(Self.branches) }
        let certain = Set(sure)
        let possible = schema.closure(of: maybe + branches) { $0.isNegation ? [] : $0.inPlace }
            .filter { !certain.contains($0) }
        let id = starts.first ?? maybe.first ?? 0
        count += 1
        steps = max(steps - 50 * (sure.count + possible.count), 0)
        if count > Self.maximumCount || steps == 0 {
            if !problems.contains(where: { $0.code == .tooLarge }) {
                add(
                    .tooLarge, id, nil,
                    "it makes more than \(Self.maximumCount) places for settings, or asks for too much at each; use maps"
                )
            }
            return (.any, .everything)
        }
        let types = types(of: sure)
        let annotations = (sure + possible).compactMap { schema.nodes[$0].annotations }
        let outer = isInsideSecret
        let isSecret =
            outer || annotations.contains(where: \.isWriteOnly)
            || types != .object && sure.contains(where: secrets.contains)
        isInsideSecret = isSecret
        defer { isInsideSecret = outer }
        checkTypes(types, sure, id)
        var object = SchemaNode.ObjectRules()
        var known = KnownMembers.everything
        if types == .object {
            let key = (sure + [-1] + possible).sorted()
            if open.contains(key) {
                add(
                    .invalidTree, id, nil,
                    "the group “\(Excerpt.of(place))” is inside itself without end; a tree of settings is finite")
                return (.any, .everything)
            }
            open.append(key)
            (object, known) = members(sure, possible, place)
            open.removeLast()
            checkGroup(sure, object)
        } else if types.isEmpty {
            object.additional = .any
        }
        let own = sure.compactMap { schema.nodes[$0].annotations }
        addRenames(sure, place, isGroup: types == .object)
        let node = SchemaNode(
            types,
            annotations: SchemaAnnotations(
                title: own.lazy.compactMap(\.title).first, description: own.lazy.compactMap(\.description).first,
                defaultValue: own.lazy.compactMap(\.defaultValue).first,
                examples: own.first { !$0.examples.isEmpty }?.examples ?? [],
                isDeprecated: own.contains(where: \.isDeprecated), isReadOnly: own.contains(where: \.isReadOnly),
                isWriteOnly: isSecret,
                extensions: own.first { !$0.extensions.isEmpty }?.extensions ?? JSONObject()),
            enumeration: enumeration(sure), object: object,
            rules: [
                NodeRules(
                    file: file, schema: schema, ids: starts,
                    groupIDs: types == .object ? sure.filter(hasGroupRules) : [],
                    isKnown: known)
            ], place: place)
        return (node, known)
    }

    /// Returns the subschemas of a rule that may apply to the same value.
    private static func branches(of rule: SchemaRule) -> [Int] {
        switch rule {
        case .anyOf(let branches), .oneOf(let branches): branches
        case .conditional(let condition, let then, let otherwise): [condition] + [then, otherwise].compactMap { $0 }
        case .dependentSchemas(let dependencies): dependencies.map(\.schema)
        default: []
        }
    }

    private func types(of ids: [Int]) -> SettingTypes {
        var result: SettingTypes?
        for case .type(let types) in ids.flatMap({ schema.nodes[$0].rules }) {
            guard let before = result else {
                result = types
                continue
            }
            // An integer is a number.
            func wide(_ types: SettingTypes) -> SettingTypes { types.contains(.number) ? types.union(.integer) : types }
            result = wide(before).intersection(wide(types))
        }
        return result ?? []
    }

    private mutating func checkTypes(_ types: SettingTypes, _ sure: [Int], _ id: Int) {
        if types.contains(.null) {
            add(.invalidKeyword, id, "type", "“type” names “null”, which is never stored; remove it")
        }
        if types.contains(.object), types != .object {
            add(
                .invalidTree, id, "type",
                "“type” names “object” with others; a path is a group of settings or a setting, never both")
        }
        guard types != .object else { return }
        for one in sure {
            for rule in schema.nodes[one].rules {
                switch rule {
                case .members, .propertyNames, .required, .count(.minProperties, _), .count(.maxProperties, _),
                    .unevaluatedProperties:
                    add(.invalidTree, one, nil, "it describes an object but does not say so; add “type”: “object”")
                    return
                default: break
                }
            }
        }
    }

    /// Returns the listed values, to be shown as a choice.
    private func enumeration(_ sure: [Int]) -> [JSONValue]? {
        for case .enumeration(let values) in sure.flatMap({ schema.nodes[$0].rules }) { return values }
        return nil
    }

    private mutating func addRenames(_ sure: [Int], _ place: String, isGroup: Bool) {
        for id in sure {
            guard let json = schema.nodes[id].annotations?.extensions[SettingRename.keyword] else { continue }
            let (found, problem) = SettingRename.read(
                json, at: place, isGroup: isGroup, pointer: schema.pointer(of: id) + [SettingRename.keyword])
            renames += found
            if let problem { add(.invalidKeyword, id, SettingRename.keyword, problem) }
        }
    }

    // MARK: Groups

    private mutating func members(
        _ sure: [Int], _ possible: [Int], _ place: String
    ) -> (SchemaNode.ObjectRules, KnownMembers) {
        var names: [String] = []
        var known: Set<JSONValue> = []
        var object = SchemaNode.ObjectRules()
        var patterns: [(text: String, ids: [Int])] = []
        var additional: [Int] = []
        var isOpen = false
        for id in sure + possible {
            for case .members(let rules) in schema.nodes[id].rules {
                for name in rules.named.names where known.insert(.string(name)).inserted { names.append(name) }
            }
        }
        for id in sure {
            for rule in schema.nodes[id].rules {
                switch rule {
                case .members(let rules):
                    for (pattern, target) in rules.patterns {
                        if let index = patterns.firstIndex(where: { ByteOrder.areEqual($0.text, pattern.text) }) {
                            patterns[index].ids.append(target)
                        } else {
                            patterns.append((pattern.text, [target]))
                            object.patterns.append((pattern, .any))
                        }
                    }
                    if let target = rules.additional { isOpen = addMap(target, &additional) || isOpen }
                case .unevaluatedProperties(let target): isOpen = addMap(target, &additional) || isOpen
                case .propertyNames(let target): object.propertyNames = keys(target)
                case .required(let names): object.required += names
                case .count(.minProperties, let limit): object.minProperties = max(limit, object.minProperties ?? 0)
                case .count(.maxProperties, let limit): object.maxProperties = min(limit, object.maxProperties ?? limit)
                default: break
                }
            }
        }
        object.additional = isOpen ? .any : .closed
        let keyName = "{\(object.propertyNames?.title ?? "name")}"
        var table: [(name: String, value: Int)] = []
        var below: [KnownMembers] = []
        // So the properties and the table of names are in the order of the bytes of the names.
        for name in names.ordered(by: ByteOrder.precedes) {
            let step = SchemaViolation.Step.key(name)
            let starts = schema.below(sure, step, steps: &steps)
            // A member with the schema `false` is forbidden, so it is not a setting.
            if starts.contains(where: { schema.nodes[$0].isNever }) { continue }
            guard (try? SettingPath(segments: [name])) != nil else {
                add(
                    .invalidTree, starts.first ?? sure.first ?? 0, nil,
                    "“\(Excerpt.of(name))” cannot be part of a path; use another name")
                continue
            }
            let child = node(
                starts, maybe: schema.below(possible, step, steps: &steps),
                place: Self.join(place, SettingPath.escaped(name)))
            object.properties.append((name, child.node))
            table.append((name, below.count))
            below.append(child.known)
        }
        for (index, pattern) in patterns.enumerated() {
            object.patterns[index].node = node(pattern.ids, maybe: [], place: Self.join(place, keyName)).node
        }
        if !additional.isEmpty {
            object.additional = .entries(node(additional, maybe: [], place: Self.join(place, keyName)).node)
        }
        let isClosed = additional.isEmpty && patterns.isEmpty && !isOpen
        return (object, isClosed ? .names(NameTable(table), below) : .everything)
    }

    private mutating func keys(_ target: Int) -> SchemaNode {
        let keys = node([target], maybe: [], place: "").node
        if !keys.types.isEmpty, keys.types != .string {
            add(.invalidKeyword, target, "type", "“type” must be “string”, since keys are")
        }
        return keys
    }

    /// Records the schema of the other members of a group; returns true if any are accepted.
    private func addMap(_ target: Int, _ additional: inout [Int]) -> Bool {
        let node = schema.nodes[target]
        if node.isNever { return false }
        if node.rules.isEmpty, node.annotations == nil { return true }
        additional.append(target)
        return false
    }

    private static func join(_ place: String, _ name: String) -> String {
        place.isEmpty ? name : "\(place)/\(name)"
    }

    private mutating func checkGroup(_ sure: [Int], _ object: SchemaNode.ObjectRules) {
        for id in sure {
            if schema.nodes[id].annotations?.defaultValue != nil {
                add(.invalidTree, id, "default", "“default” is at a group; give each setting its own")
            }
            guard case .closed = object.additional else { continue }
            for case .required(let names) in schema.nodes[id].rules {
                for name in names where object.property(name) == nil && object.matching(name) == nil {
                    add(
                        .invalidKeyword, id, "required",
                        "“required” names “\(Excerpt.of(name))”, which is not a property")
                }
            }
        }
    }

    /// Returns true if a subschema has rules over several members, beyond their presence.
    private func hasGroupRules(_ id: Int) -> Bool {
        schema.nodes[id].rules.contains(where: \.isGroupRule)
    }
}

extension SchemaRule {
    /// True if the rule is `not`, which describes no settings.
    fileprivate var isNegation: Bool {
        if case .not = self { true } else { false }
    }
}
