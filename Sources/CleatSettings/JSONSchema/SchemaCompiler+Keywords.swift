import CleatJSON

extension SchemaCompiler {
    /// Reads the keywords of one schema and refuses the remaining ones.
    mutating func read(_ keywords: inout SchemaKeywords) {
        readIdentity(&keywords)
        _ = schemasByName("$defs", &keywords)
        let types = readTypes(&keywords)
        var rules: [SchemaRule] = []
        if let types { rules.append(.type(types)) }
        if let values = list("enum", &keywords) { rules.append(.enumeration(values)) }
        if let value = keywords.take("const") { rules.append(.constant(value)) }
        readText(types, &keywords, &rules)
        readArray(&keywords, &rules)
        readObject(&keywords, &rules)
        nodes[keywords.id].rules = rules
        readReference(&keywords)
        var later: [SchemaRule] = []
        readCombinations(&keywords, &later)
        if let schema = schema("unevaluatedItems", &keywords) { later.append(.unevaluatedItems(schema)) }
        if let schema = schema("unevaluatedProperties", &keywords) { later.append(.unevaluatedProperties(schema)) }
        nodes[keywords.id].rules += later
        readAnnotations(&keywords)
        let known = Set(keywords.read)
        for (keyword, _) in keywords.members where !known.contains(keyword) && !keyword.utf8.starts(with: "x-".utf8) {
            refuse(keyword, keywords, "is not supported; remove it", .unsupportedKeyword)
        }
    }

    private mutating func readTypes(_ keywords: inout SchemaKeywords) -> SettingTypes? {
        guard let value = keywords.take("type") else { return nil }
        var types: SettingTypes = []
        for name in value.arrayValue ?? [value] {
            guard let type = SettingTypes.named.first(where: { .string($0.name) == name })?.type else {
                refuse("type", keywords, "must name some of \(SettingTypes.named.map(\.name).joined(separator: ", "))")
                return nil
            }
            if types.contains(type) { refuse("type", keywords, "names a type twice; remove one") }
            types.insert(type)
        }
        if types.isEmpty { refuse("type", keywords, "names no type") }
        return types
    }

    /// Reads the keywords of strings and numbers.
    private mutating func readText(
        _ types: SettingTypes?, _ keywords: inout SchemaKeywords, _ rules: inout [SchemaRule]
    ) {
        let format = readFormat(&keywords, &rules)
        let quantity = use == .settings ? format?.quantity : nil
        for bound in NumberBound.allCases {
            guard let limit = number(bound.rawValue, &keywords) else { continue }
            if bound == .multipleOf, !Ordering.precedes(0, limit) {
                refuse("multipleOf", keywords, "must be greater than 0")
                continue
            }
            rules.append(.bound(bound, limit, quantity))
        }
        for bound in [CountBound.minLength, .maxLength] {
            if let limit = count(bound.rawValue, &keywords) { rules.append(.count(bound, limit)) }
        }
        if let text = text("pattern", &keywords), let pattern = pattern(text, "pattern", keywords) {
            rules.append(.pattern(pattern))
        }
        if let format { rules.append(.format(format)) }
    }

    private mutating func readFormat(
        _ keywords: inout SchemaKeywords, _ rules: inout [SchemaRule]
    ) -> SchemaFormat? {
        let name = text("format", &keywords)
        // A format that refuses no values only describes them, known or not.
        if use == .documents(assertFormat: false) { return nil }
        if let name {
            if let format = SchemaFormat(name, use: use) { return format }
            let known = SchemaFormat.names(use: use).joined(separator: ", ")
            refuse("format", keywords, "“\(Excerpt.of(name))” is not supported; known are \(known)")
            return nil
        }
        // The formats `ip` and `host` have this form in JSON Schema.
        guard use == .settings, case .array(let branches) = keywords.members["anyOf"],
            let format = SettingFormat.allCases.first(where: { $0.branches == branches })
        else { return nil }
        _ = keywords.take("anyOf")
        keywords.isFormat = true
        if keywords.members["type"] == nil { rules.insert(.type(.string), at: 0) }
        return .setting(format)
    }

    mutating func pattern(_ text: String, _ keyword: String, _ keywords: SchemaKeywords) -> Pattern? {
        guard patternSteps <= Self.maximumPatternSteps else { return nil }
        do {
            let pattern = try Pattern(text)
            patternSteps += pattern.size
            if patternSteps > Self.maximumPatternSteps {
                let message = "needs, with all other patterns, more than \(Self.maximumPatternSteps) steps"
                refuse(keyword, keywords, "\(message); use smaller counts", .tooLarge)
            }
            return pattern
        } catch {
            let place = keyword == "pattern" ? [keyword] : [keyword, text]
            add(
                .invalidKeyword, keywords.pointer + place, keyword,
                "“\(keyword)” is refused: \(error)\(keyword == "pattern" ? "" : " (in “\(Excerpt.of(text))”)")")
            return nil
        }
    }

    private mutating func readArray(_ keywords: inout SchemaKeywords, _ rules: inout [SchemaRule]) {
        for bound in [CountBound.minItems, .maxItems] {
            if let limit = count(bound.rawValue, &keywords) { rules.append(.count(bound, limit)) }
        }
        if flag("uniqueItems", &keywords) { rules.append(.uniqueItems) }
        let prefix = schemas("prefixItems", &keywords) ?? []
        let rest = schema("items", &keywords)
        if !prefix.isEmpty || rest != nil { rules.append(.elements(prefix: prefix, rest: rest)) }
        let minimum = count("minContains", &keywords)
        let maximum = count("maxContains", &keywords)
        if let schema = schema("contains", &keywords) {
            rules.append(.contains(schema, minimum: minimum, maximum: maximum))
        }
    }

    private mutating func readObject(_ keywords: inout SchemaKeywords, _ rules: inout [SchemaRule]) {
        if let value = keywords.take("required") { rules.append(.required(names("required", value, keywords))) }
        for bound in [CountBound.minProperties, .maxProperties] {
            if let limit = count(bound.rawValue, &keywords) { rules.append(.count(bound, limit)) }
        }
        if let value = keywords.take("dependentRequired") {
            if let members = value.objectValue {
                rules.append(
                    .dependentRequired(members.map { ($0.key, names("dependentRequired", $0.value, keywords)) }))
            } else {
                refuse("dependentRequired", keywords, "must be an object of lists of names")
            }
        }
        if let schema = schema("propertyNames", &keywords) { rules.append(.propertyNames(schema)) }
        var members = MemberRules()
        members.named = NameTable(schemasByName("properties", &keywords))
        for (text, schema) in schemasByName("patternProperties", &keywords) {
            if let pattern = pattern(text, "patternProperties", keywords) { members.patterns.append((pattern, schema)) }
        }
        members.additional = schema("additionalProperties", &keywords)
        if ["properties", "patternProperties", "additionalProperties"].contains(where: { keywords.members[$0] != nil })
        {
            rules.append(.members(members))
        }
    }

    private mutating func readCombinations(_ keywords: inout SchemaKeywords, _ rules: inout [SchemaRule]) {
        if let branches = schemas("allOf", &keywords) { rules.append(.allOf(branches)) }
        if !keywords.isFormat, let branches = schemas("anyOf", &keywords) { rules.append(.anyOf(branches)) }
        if let branches = schemas("oneOf", &keywords) { rules.append(.oneOf(branches)) }
        if let schema = schema("not", &keywords) { rules.append(.not(schema)) }
        let condition = schema("if", &keywords)
        let then = schema("then", &keywords)
        let otherwise = schema("else", &keywords)
        if let condition { rules.append(.conditional(condition, then: then, else: otherwise)) }
        let dependent = schemasByName("dependentSchemas", &keywords)
        if !dependent.isEmpty { rules.append(.dependentSchemas(dependent.map { ($0.name, $0.value) })) }
    }

    private mutating func readAnnotations(_ keywords: inout SchemaKeywords) {
        let annotations = SchemaAnnotations(
            title: text("title", &keywords), description: text("description", &keywords),
            defaultValue: keywords.take("default"), examples: list("examples", &keywords) ?? [],
            isDeprecated: flag("deprecated", &keywords), isReadOnly: flag("readOnly", &keywords),
            isWriteOnly: flag("writeOnly", &keywords),
            extensions: JSONObject(
                keywords.members.filter { $0.key.utf8.starts(with: "x-".utf8) }.map { ($0.key, $0.value) }))
        let words = ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"]
        if words.contains(where: { keywords.members[$0] != nil }) || !annotations.extensions.isEmpty {
            nodes[keywords.id].annotations = annotations
        }
    }
}
