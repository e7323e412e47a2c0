import CleatJSON

/// Compiles a schema in JSON to subschemas that refer to each other by number.
struct SchemaCompiler {
    /// The most levels of JSON that a schema may have.
    static let maximumDepth = 64
    /// The most subschemas that a schema may have.
    static let maximumCount = 20_000
    /// The most steps that the patterns of a schema may have together.
    static let maximumPatternSteps = 200_000
    /// The most bytes of a URI.
    static let maximumURIBytes = 4096
    /// The dialects that `$schema` may name.
    static let dialects = [JSONSchema.dialect, JSONSchema.dialect + "#"]

    let use: JSONSchema.Use
    let source: JSONValue
    var nodes: [Subschema] = []
    var problems: [SchemaError] = []
    /// The subschemas by the URI of their `$id`, and by that URI with `#` and the anchor.
    private var named = JSONObject()
    /// The subschemas directly below each subschema, by the rest of the pointer.
    private var children: [JSONObject] = []
    private var references: [Reference] = []
    private var isTooLarge = false
    var patternSteps = 0

    private struct Reference {
        let node: Int
        let rule: Int
        let text: String
        let base: String
        let pointer: [String]
    }

    init(use: JSONSchema.Use, source: JSONValue) {
        self.use = use
        self.source = source
    }

    mutating func compile() throws(SchemaErrors) -> [Subschema] {
        _ = schema(source, parent: 0, tokens: [], pointer: [], base: "")
        for reference in references { resolve(reference) }
        if problems.isEmpty { checkCircles() }
        if problems.isEmpty { markTracked() }
        if !problems.isEmpty { throw SchemaErrors(Array(problems.prefix(SchemaErrors.maximumCount))) }
        return nodes
    }

    /// Compiles one schema.
    ///
    /// - Returns: the number of the schema.
    mutating func schema(
        _ value: JSONValue, parent: Int, tokens: [String], pointer: [String], base: String
    ) -> Int {
        let id = nodes.count
        nodes.append(Subschema(parent: parent, tokens: tokens))
        children.append(JSONObject())
        if !tokens.isEmpty { children[parent][Self.key(tokens[...])] = JSONValue(id) }
        guard pointer.count <= Self.maximumDepth else {
            add(.tooDeep, pointer, nil, "it is nested deeper than \(Self.maximumDepth) levels; flatten it with “$defs”")
            return id
        }
        guard nodes.count <= Self.maximumCount else {
            if !isTooLarge {
                add(.tooLarge, pointer, nil, "it has more than \(Self.maximumCount) schemas; split it into files")
            }
            isTooLarge = true
            return id
        }
        switch value {
        case .bool(true): break
        case .bool(false): nodes[id].rules = [.never]
        case .object(let members):
            var keywords = SchemaKeywords(members: members, pointer: pointer, base: base, id: id)
            read(&keywords)
        default: add(.invalidKeyword, pointer, nil, "a schema must be an object, or true or false")
        }
        return id
    }

    private static func key(_ tokens: ArraySlice<String>) -> String {
        tokens.map(SettingPath.escaped).joined(separator: "/")
    }

    mutating func add(_ code: SchemaError.Code, _ pointer: [String], _ keyword: String?, _ message: String) {
        guard problems.count <= SchemaErrors.maximumCount else { return }
        problems.append(SchemaError(code: code, pointer: pointer, keyword: keyword, message: message))
    }

    // MARK: Names and references

    mutating func readIdentity(_ keywords: inout SchemaKeywords) {
        if let dialect = text("$schema", &keywords), !Self.dialects.contains(where: { ByteOrder.areEqual($0, dialect) })
        {
            refuse("$schema", keywords, "is “\(Excerpt.of(dialect))”; only “\(JSONSchema.dialect)” is supported")
        }
        if let text = text("$id", &keywords) {
            let identity = URIReference(text).resolved(against: URIReference(keywords.base))
            if identity.base.utf8.count > Self.maximumURIBytes {
                return refuse("$id", keywords, "is longer than \(Self.maximumURIBytes) bytes; shorten it")
            }
            if identity.fragment?.isEmpty == false {
                refuse("$id", keywords, "must have no fragment; use “$anchor”")
            }
            keywords.base = identity.base
            name(keywords.base, keywords.id, "$id", keywords)
        } else if keywords.pointer.isEmpty {
            named[""] = 0
        }
        if let anchor = text("$anchor", &keywords) {
            if Self.isAnchor(anchor) {
                name("\(keywords.base)#\(anchor)", keywords.id, "$anchor", keywords)
            } else {
                refuse("$anchor", keywords, "must be a letter or “_”, then letters, digits and “-._”")
            }
        }
        _ = text("$comment", &keywords)
    }

    private mutating func name(_ name: String, _ id: Int, _ keyword: String, _ keywords: SchemaKeywords) {
        if named.updateValue(JSONValue(id), forKey: name) != nil {
            refuse(keyword, keywords, "names “\(Excerpt.of(name))”, as another schema in it does")
        }
    }

    private static func isAnchor(_ text: String) -> Bool {
        guard let first = text.utf8.first, ASCII.isLetter(first) || first == UInt8(ascii: "_") else { return false }
        return text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "-._".utf8.contains($0) }
    }

    mutating func readReference(_ keywords: inout SchemaKeywords) {
        guard let text = text("$ref", &keywords) else { return }
        guard text.utf8.count <= Self.maximumURIBytes else {
            return refuse("$ref", keywords, "is longer than \(Self.maximumURIBytes) bytes; shorten it")
        }
        references.append(
            Reference(
                node: keywords.id, rule: nodes[keywords.id].rules.count, text: text, base: keywords.base,
                pointer: keywords.pointer + ["$ref"]))
        nodes[keywords.id].rules.append(.reference(0))
    }

    private mutating func resolve(_ reference: Reference) {
        guard let target = target(of: reference) else {
            let message = "“$ref” names “\(Excerpt.of(reference.text))”, which is not a schema in this file"
            return add(.invalidReference, reference.pointer, "$ref", "\(message); put it below “$defs”")
        }
        nodes[reference.node].rules[reference.rule] = .reference(target)
    }

    private mutating func target(of reference: Reference) -> Int? {
        let uri = URIReference(reference.text).resolved(against: URIReference(reference.base))
        guard let fragment = URIReference.unescaped(uri.fragment ?? "") else { return nil }
        if named[uri.base] == nil, MetaSchema.uris.contains(where: { ByteOrder.areEqual($0, uri.base) }) {
            let id = schema(MetaSchema.json, parent: 0, tokens: ["$schema"], pointer: ["$schema"], base: uri.base)
            for reference in references where reference.node >= id { resolve(reference) }
        }
        if fragment.isEmpty { return named[uri.base]?.intValue }
        guard fragment.utf8.first == UInt8(ascii: "/") else { return named["\(uri.base)#\(fragment)"]?.intValue }
        guard var node = named[uri.base]?.intValue else { return nil }
        // Schemas are one or two keys below each other: “items”, “properties/name”, “allOf/0”.
        let parts = fragment.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let tokens = parts.dropFirst().map { SettingPath.unescaped(Substring($0)) }
        var rest = tokens[...]
        while !rest.isEmpty {
            var next: (child: Int, count: Int)?
            for count in [1, 2] where next == nil && rest.count >= count {
                next = children[node][Self.key(rest.prefix(count))]?.intValue.map { ($0, count) }
            }
            guard let (child, count) = next else { return nil }
            node = child
            rest = rest.dropFirst(count)
        }
        return node
    }

    /// Refuses references that lead back to themselves on the same value: their validation would never end.
    private mutating func checkCircles() {
        enum State { case new, open, done }
        var states = Array(repeating: State.new, count: nodes.count)
        for start in nodes.indices where states[start] == .new {
            var stack: [(id: Int, next: [Int])] = [(start, nodes[start].inPlace)]
            states[start] = .open
            while let top = stack.last {
                guard let target = top.next.last else {
                    states[top.id] = .done
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next.removeLast()
                switch states[target] {
                case .done: break
                case .new:
                    states[target] = .open
                    stack.append((target, nodes[target].inPlace))
                case .open:
                    add(
                        .invalidReference, JSONSchema.pointer(of: top.id, in: nodes), "$ref",
                        "“$ref” leads back to itself without going down in the value, so a check would never end")
                    return
                }
            }
        }
    }

    /// Marks the schemas whose evaluated members an `unevaluated…` keyword depends on.
    private mutating func markTracked() {
        var open = nodes.indices.filter { id in
            nodes[id].rules.contains { rule in
                switch rule {
                case .unevaluatedItems, .unevaluatedProperties: true
                default: false
                }
            }
        }
        while let id = open.popLast() {
            if nodes[id].isTracked { continue }
            nodes[id].isTracked = true
            open += nodes[id].inPlace
        }
    }
}
