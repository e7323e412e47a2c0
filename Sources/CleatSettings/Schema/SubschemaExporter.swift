import CleatJSON

/// Exports parts of a compiled schema as schemas of their own: the target of a `$ref` replaces it.
///
/// A recursive part cannot be written out; it becomes a schema with an `$id` and `$defs` of its own.
struct SubschemaExporter {
    /// The most schemas that may replace references; with more, all references are kept.
    private static let maximumInlined = 500

    private let schema: JSONSchema
    /// True if every reference is kept, because too many would be written out.
    private let keepsReferences: Bool
    private var inlined = 0
    /// The targets of the references that are kept, in the order in which they were found.
    private var definitions: [Int] = []

    private init(_ schema: JSONSchema, keepsReferences: Bool = false) {
        self.schema = schema
        self.keepsReferences = keepsReferences
    }

    /// Writes the rules of one setting.
    static func leaf(_ rules: [NodeRules], place: String) -> JSONObject {
        var result: JSONObject?
        for rule in rules {
            for id in rule.ids {
                var exporter = SubschemaExporter(rule.schema)
                var one = exporter.whole(id, place: place)
                if exporter.inlined > maximumInlined {
                    exporter = SubschemaExporter(rule.schema, keepsReferences: true)
                    one = exporter.whole(id, place: place)
                }
                if let before = result {
                    result = combined(before, [.object(one)])
                } else {
                    result = one
                }
            }
        }
        return result ?? JSONObject()
    }

    /// Exports the rules over several members of a group, without the keywords that the tree exports itself.
    static func groupRules(_ schema: JSONSchema, _ id: Int) -> JSONObject {
        var exporter = SubschemaExporter(schema)
        let all = exporter.members(id, exporter.source(of: id) ?? JSONObject())
        let keywords = [
            "dependentRequired", "dependentSchemas", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const",
        ]
        return JSONObject(keywords.compactMap { keyword in all[keyword].map { (keyword, $0) } })
    }

    private mutating func whole(_ id: Int, place: String) -> JSONObject {
        let value = written(id)
        guard var result = value.objectValue else { return value == .bool(false) ? ["not": [:]] : JSONObject() }
        if definitions.isEmpty { return result }
        var defined = JSONObject()
        var index = 0
        while index < definitions.count {
            defined["\(index)"] = written(definitions[index])
            index += 1
        }
        result["$id"] = .string("cleat:" + Self.escaped(place))
        result["$defs"] = .object(defined)
        return result
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if ASCII.isLetter(byte) || ASCII.isDigit(byte) || "-._~/".utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    private func source(of id: Int) -> JSONObject? {
        var value = schema.source
        for token in schema.pointer(of: id) {
            guard let next = value[token] ?? Int(token).flatMap({ value[$0] }) else { return nil }
            value = next
        }
        return value.objectValue
    }

    private mutating func written(_ id: Int) -> JSONValue {
        if schema.nodes[id].isNever { return false }
        guard let source = source(of: id) else { return true }
        var result = members(id, source)
        guard case .reference(let target)? = schema.nodes[id].rules.first(where: \.isReference) else {
            return .object(result)
        }
        let inner = reference(target)
        if result.isEmpty { return inner }
        let words = ["title", "description", "default", "examples", "readOnly", "writeOnly", "deprecated"]
        if case .object(var members) = inner, members["$ref"] == nil,
            result.keys.allSatisfy({ words.contains($0) || $0.utf8.starts(with: "x-".utf8) })
        {
            for (key, value) in result { members[key] = value }
            return .object(members)
        }
        result = Self.combined(result, [inner])
        return .object(result)
    }

    private static func combined(_ members: JSONObject, _ others: [JSONValue]) -> JSONObject {
        var result = members
        result["allOf"] = .array((members["allOf"]?.arrayValue ?? []) + others)
        return result
    }

    private mutating func reference(_ target: Int) -> JSONValue {
        if schema.nodes[target].tokens == ["$schema"] { return ["$ref": .string(JSONSchema.dialect)] }
        if keepsReferences || inlined > Self.maximumInlined || isRecursive(target) {
            let index = definitions.firstIndex(of: target) ?? definitions.count
            if index == definitions.count { definitions.append(target) }
            return ["$ref": .string("#/$defs/\(index)")]
        }
        inlined += 1
        return written(target)
    }

    /// Returns true if a schema refers to itself, so that it cannot be written out.
    private func isRecursive(_ target: Int) -> Bool {
        var known: Set<Int> = []
        var open = [target]
        while let id = open.popLast() {
            for next in schema.nodes[id].rules.flatMap({ $0.inPlace + $0.below }) {
                if next == target { return true }
                if known.insert(next).inserted { open.append(next) }
            }
        }
        return false
    }

    /// Returns the keywords of one schema, with all schemas inside them exported.
    private mutating func members(_ id: Int, _ source: JSONObject) -> JSONObject {
        var result = source
        for keyword in ["$schema", "$id", "$anchor", "$comment", "$defs", "$ref"] { result[keyword] = nil }
        if source["if"] == nil {
            result["then"] = nil
            result["else"] = nil
        }
        for rule in schema.nodes[id].rules {
            switch rule {
            case .elements(let prefix, let rest):
                if !prefix.isEmpty { result["prefixItems"] = .array(prefix.map { written($0) }) }
                if let rest { result["items"] = written(rest) }
            case .contains(let target, _, _): result["contains"] = written(target)
            case .members(let rules):
                if var properties = source["properties"]?.objectValue {
                    for (name, target) in zip(rules.named.names, rules.named.values) {
                        properties[name] = written(target)
                    }
                    result["properties"] = .object(properties)
                }
                if !rules.patterns.isEmpty {
                    result["patternProperties"] = .object(
                        JSONObject(rules.patterns.map { ($0.pattern.text, written($0.schema)) }))
                }
                if let target = rules.additional { result["additionalProperties"] = written(target) }
            case .propertyNames(let target): result["propertyNames"] = written(target)
            case .dependentSchemas(let dependencies):
                result["dependentSchemas"] = .object(
                    JSONObject(dependencies.map { ($0.name, written($0.schema)) }))
            case .allOf(let branches): result["allOf"] = .array(branches.map { written($0) })
            case .anyOf(let branches): result["anyOf"] = .array(branches.map { written($0) })
            case .oneOf(let branches): result["oneOf"] = .array(branches.map { written($0) })
            case .not(let target): result["not"] = written(target)
            case .conditional(let condition, let then, let otherwise):
                result["if"] = written(condition)
                if let then { result["then"] = written(then) }
                if let otherwise { result["else"] = written(otherwise) }
            case .unevaluatedItems(let target): result["unevaluatedItems"] = written(target)
            case .unevaluatedProperties(let target): result["unevaluatedProperties"] = written(target)
            default: break
            }
        }
        return result
    }
}

extension SchemaRule {
    fileprivate var isReference: Bool {
        if case .reference = self { true } else { false }
    }
}
