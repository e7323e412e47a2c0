package import CleatJSON

/// Reads a schema from JSON Schema 2020-12, of which it takes a part and refuses the rest by name.
///
/// In the tree of settings an object is a group: without `additionalProperties` it takes its named properties only. In
/// the items of an array, where an object is part of a value, JSON Schema's own rule holds: it takes any others too.
struct SchemaReader {
    static let maximumDepth = 32

    /// Where a node stands.
    private enum Role {
        case tree, value, key
    }

    /// Reads one node's keywords.
    private struct Keywords {
        let members: JSONObject
        let pointer: [String]
        private(set) var read: Set<String> = []

        init(_ members: JSONObject, _ pointer: [String]) {
            self.members = members
            self.pointer = pointer
        }

        func error(
            _ keyword: String, _ message: String, _ code: SchemaError.Code = .invalidKeyword
        ) -> SchemaError {
            SchemaError(
                code: code, pointer: members[keyword] == nil ? pointer : pointer + [keyword],
                message: "“\(Excerpt.of(keyword))” \(message)")
        }

        mutating func take(_ keyword: String) -> JSONValue? {
            read.insert(keyword)
            return members[keyword]
        }

        mutating func text(_ keyword: String) throws(SchemaError) -> String? {
            guard let value = take(keyword) else { return nil }
            guard let text = value.stringValue else { throw error(keyword, "must be a string") }
            return text
        }

        mutating func flag(_ keyword: String) throws(SchemaError) -> Bool {
            guard let value = take(keyword) else { return false }
            guard let flag = value.boolValue else { throw error(keyword, "must be true or false") }
            return flag
        }

        mutating func count(_ keyword: String) throws(SchemaError) -> Int? {
            guard let value = take(keyword) else { return nil }
            guard let count = value.intValue, count >= 0 else {
                throw error(keyword, "must be a whole number that is not negative")
            }
            return count
        }

        mutating func number(_ keyword: String) throws(SchemaError) -> JSONValue? {
            guard let value = take(keyword) else { return nil }
            guard value.doubleValue != nil else { throw error(keyword, "must be a number") }
            return value
        }

        mutating func list(_ keyword: String) throws(SchemaError) -> [JSONValue]? {
            guard let value = take(keyword) else { return nil }
            guard let list = value.arrayValue else { throw error(keyword, "must be an array") }
            return list
        }

        /// Refuses what nobody asked for.
        func checkAllRead() throws(SchemaError) {
            for (keyword, _) in members where !read.contains(keyword) && !keyword.hasPrefix("x-") {
                throw error(keyword, "is not supported; leave it out", .unsupportedKeyword)
            }
        }
    }

    func root(_ value: JSONValue) throws(SchemaError) -> SchemaNode {
        let node = try node(value, [], .tree)
        guard node.isInterior else {
            throw SchemaError(code: .invalidTree, pointer: [], message: "“type” must be “object” at the top")
        }
        return node
    }

    private func node(_ value: JSONValue, _ pointer: [String], _ role: Role) throws(SchemaError) -> SchemaNode {
        if pointer.count > Self.maximumDepth * 2 {
            throw SchemaError(
                code: .tooDeep, pointer: pointer, message: "it is nested deeper than \(Self.maximumDepth); flatten it")
        }
        if value == .bool(true), !pointer.isEmpty { return .any }
        guard let members = value.objectValue else {
            throw SchemaError(code: .invalidKeyword, pointer: pointer, message: "a schema must be an object")
        }
        var keywords = Keywords(members, pointer)
        if pointer.isEmpty { try readIdentity(&keywords) }
        _ = try keywords.text("$comment")
        var types = try readTypes(&keywords)
        let string = try readString(&keywords, &types)
        if role == .key {
            if types.isEmpty { types = .string }
            guard types == .string else { throw keywords.error("type", "must be “string”, since keys are") }
        }
        if role == .tree, types.contains(.object), types != .object {
            throw keywords.error(
                "type", "names “object” with others; a path is a group of settings or a setting, never both",
                .invalidTree)
        }
        let object = try readObject(&keywords, types, role)
        let node = SchemaNode(
            types, title: try keywords.text("title"), description: try keywords.text("description"),
            default: keywords.take("default"), examples: try keywords.list("examples") ?? [],
            isSecret: try keywords.flag("writeOnly"), isDeprecated: try keywords.flag("deprecated"),
            enumeration: try keywords.list("enum"), constant: keywords.take("const"),
            number: try readNumber(&keywords), string: string, array: try readArray(&keywords), object: object,
            extensions: JSONObject(members.filter { $0.key.hasPrefix("x-") }.map { ($0.key, $0.value) }))
        try keywords.checkAllRead()
        try check(node, keywords)
        return node
    }

    private func readIdentity(_ keywords: inout Keywords) throws(SchemaError) {
        if let dialect = try keywords.text("$schema"), dialect != SchemaNode.dialect {
            throw keywords.error("$schema", "must be “\(SchemaNode.dialect)”")
        }
        _ = try keywords.text("$id")
    }

    private func readTypes(_ keywords: inout Keywords) throws(SchemaError) -> SettingTypes {
        guard let value = keywords.take("type") else { return [] }
        var types: SettingTypes = []
        for name in value.arrayValue ?? [value] {
            if name == "null" { throw keywords.error("type", "names “null”, which is never stored; leave it out") }
            guard let type = SettingTypes.named.first(where: { .string($0.name) == name })?.type else {
                throw keywords.error(
                    "type", "must name some of \(SettingTypes.named.map(\.name).joined(separator: ", "))")
            }
            types.insert(type)
        }
        if types.isEmpty { throw keywords.error("type", "names no type") }
        return types
    }

    private func readNumber(_ keywords: inout Keywords) throws(SchemaError) -> SchemaNode.NumberRules {
        var rules = SchemaNode.NumberRules()
        rules.minimum = try keywords.number("minimum")
        rules.maximum = try keywords.number("maximum")
        rules.exclusiveMinimum = try keywords.number("exclusiveMinimum")
        rules.exclusiveMaximum = try keywords.number("exclusiveMaximum")
        rules.multipleOf = try keywords.number("multipleOf")
        if let divisor = rules.multipleOf, !Ordering.precedes(0, divisor) {
            throw keywords.error("multipleOf", "must be greater than 0")
        }
        return rules
    }

    private func readString(
        _ keywords: inout Keywords, _ types: inout SettingTypes
    ) throws(SchemaError) -> SchemaNode.StringRules {
        var rules = SchemaNode.StringRules()
        rules.minLength = try keywords.count("minLength")
        rules.maxLength = try keywords.count("maxLength")
        if let text = try keywords.text("pattern") {
            do {
                rules.pattern = try Pattern(text)
            } catch {
                throw keywords.error("pattern", "is refused: \(error)")
            }
        }
        if let name = try keywords.text("format") {
            guard let format = SettingFormat(rawValue: name) else {
                let known = SettingFormat.allCases.map(\.rawValue).joined(separator: ", ")
                throw keywords.error("format", "“\(Excerpt.of(name))” is not supported; known are \(known)")
            }
            rules.format = format
        }
        if let branches = try keywords.list("anyOf") {
            guard rules.format == nil, let format = SettingFormat.allCases.first(where: { $0.branches == branches })
            else {
                throw keywords.error(
                    "anyOf", "is supported only for the formats ipv4 and ipv6, and for hostname with both",
                    .unsupportedKeyword)
            }
            rules.format = format
            if types.isEmpty { types = .string }
        }
        return rules
    }

    private func readArray(_ keywords: inout Keywords) throws(SchemaError) -> SchemaNode.ArrayRules {
        var rules = SchemaNode.ArrayRules()
        if let items = keywords.take("items") {
            rules.items = try node(items, keywords.pointer + ["items"], .value)
        }
        rules.minItems = try keywords.count("minItems")
        rules.maxItems = try keywords.count("maxItems")
        rules.uniqueItems = try keywords.flag("uniqueItems")
        return rules
    }

    private func readObject(
        _ keywords: inout Keywords, _ types: SettingTypes, _ role: Role
    ) throws(SchemaError) -> SchemaNode.ObjectRules {
        var properties: [(String, SchemaNode)] = []
        if let value = keywords.take("properties") {
            guard let members = value.objectValue else { throw keywords.error("properties", "must be an object") }
            for (name, member) in members {
                let pointer = keywords.pointer + ["properties", name]
                if role == .tree, (try? SettingPath(segments: [name])) == nil {
                    throw SchemaError(
                        code: .invalidTree, pointer: pointer,
                        message: "“\(Excerpt.of(name))” cannot be part of a path; use another name")
                }
                properties.append((name, try node(member, pointer, role)))
            }
        }
        var rules = SchemaNode.ObjectRules(sorting: properties)
        rules.additional = role == .tree && types == .object ? .closed : .any
        switch keywords.take("additionalProperties") {
        case nil: break
        case .bool(false): rules.additional = .closed
        case .bool(true): rules.additional = .any
        case let value?:
            rules.additional = .entries(try node(value, keywords.pointer + ["additionalProperties"], role))
        }
        if let names = keywords.take("propertyNames") {
            rules.propertyNames = try node(names, keywords.pointer + ["propertyNames"], .key)
        }
        for name in try keywords.list("required") ?? [] {
            guard let name = name.stringValue else { throw keywords.error("required", "must hold names") }
            rules.required.append(name)
        }
        rules.minProperties = try keywords.count("minProperties")
        rules.maxProperties = try keywords.count("maxProperties")
        let isEmpty =
            ["properties", "additionalProperties", "propertyNames", "required", "minProperties", "maxProperties"]
            .allSatisfy { keywords.members[$0] == nil }
        if role == .tree, types != .object, !isEmpty {
            throw SchemaError(
                code: .invalidTree, pointer: keywords.pointer,
                message: "it describes an object but does not say so; add “type”: “object”")
        }
        return rules
    }

    private func check(_ node: SchemaNode, _ keywords: Keywords) throws(SchemaError) {
        if node.isInterior, node.defaultValue != nil, keywords.pointer.isEmpty || !keywords.pointer.contains("items") {
            throw keywords.error("default", "stands at a group; give each setting its own", .invalidTree)
        }
        if case .closed = node.object.additional {
            for name in node.object.required where node.object.property(name) == nil && node.isInterior {
                throw keywords.error("required", "names “\(Excerpt.of(name))”, which is no property")
            }
        }
        if let value = node.defaultValue, let broken = node.firstProblem(with: node.canonical(value)) {
            throw keywords.error("default", broken.reason)
        }
    }
}

extension Schema {
    /// Reads a schema.
    ///
    /// - Parameter json: JSON Schema 2020-12, the part that Cleat supports.
    /// - Throws: what it cannot take, with the place.
    package init(json: JSONValue) throws(SchemaError) {
        self.init(root: try SchemaReader().root(json))
    }
}
