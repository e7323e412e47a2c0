import CleatJSON

/// The members of one schema while it is compiled.
struct SchemaKeywords {
    let members: JSONObject
    let pointer: [String]
    /// The URI that references are relative to.
    var base: String
    let id: Int
    /// True if `anyOf` is the JSON Schema form of the format `ip` or `host`.
    var isFormat = false
    private(set) var read: [String] = []

    init(members: JSONObject, pointer: [String], base: String, id: Int) {
        self.members = members
        self.pointer = pointer
        self.base = base
        self.id = id
    }

    /// Returns the value of a keyword and marks the keyword as read.
    mutating func take(_ keyword: String) -> JSONValue? {
        guard let value = members[keyword] else { return nil }
        read.append(keyword)
        return value
    }
}

extension SchemaCompiler {
    /// Records that a keyword has an invalid value.
    mutating func refuse(
        _ keyword: String, _ keywords: SchemaKeywords, _ message: String, _ code: SchemaError.Code = .invalidKeyword
    ) {
        add(code, keywords.pointer + [keyword], keyword, "“\(Excerpt.of(keyword))” \(message)")
    }

    mutating func text(_ keyword: String, _ keywords: inout SchemaKeywords) -> String? {
        guard let value = keywords.take(keyword) else { return nil }
        guard let text = value.stringValue else {
            refuse(keyword, keywords, "must be a string")
            return nil
        }
        return text
    }

    mutating func flag(_ keyword: String, _ keywords: inout SchemaKeywords) -> Bool {
        guard let value = keywords.take(keyword) else { return false }
        guard let flag = value.boolValue else {
            refuse(keyword, keywords, "must be true or false")
            return false
        }
        return flag
    }

    mutating func count(_ keyword: String, _ keywords: inout SchemaKeywords) -> Int? {
        guard let value = keywords.take(keyword) else { return nil }
        if let count = value.intValue, count >= 0 { return count }
        // Beyond 64 bits every double is a whole number; no value has so many members.
        if let number = value.doubleValue, number >= 0x1p63 { return .max }
        refuse(keyword, keywords, "must be a whole number that is not negative")
        return nil
    }

    mutating func number(_ keyword: String, _ keywords: inout SchemaKeywords) -> JSONValue? {
        guard let value = keywords.take(keyword) else { return nil }
        guard value.doubleValue?.isFinite == true else {
            refuse(keyword, keywords, "must be a number")
            return nil
        }
        return value
    }

    mutating func list(_ keyword: String, _ keywords: inout SchemaKeywords) -> [JSONValue]? {
        guard let value = keywords.take(keyword) else { return nil }
        guard let list = value.arrayValue else {
            refuse(keyword, keywords, "must be an array")
            return nil
        }
        return list
    }

    mutating func names(_ keyword: String, _ value: JSONValue, _ keywords: SchemaKeywords) -> [String] {
        guard let list = value.arrayValue else {
            refuse(keyword, keywords, "must be an array of names")
            return []
        }
        let names = list.compactMap(\.stringValue)
        if names.count != list.count { refuse(keyword, keywords, "must hold names, which are strings") }
        if Set(list).count != list.count { refuse(keyword, keywords, "holds a name twice; remove one") }
        return names
    }

    /// Compiles the schema that a keyword holds.
    mutating func schema(_ keyword: String, _ keywords: inout SchemaKeywords) -> Int? {
        guard let value = keywords.take(keyword) else { return nil }
        return schema(
            value, parent: keywords.id, tokens: [keyword], pointer: keywords.pointer + [keyword], base: keywords.base)
    }

    /// Compiles the schemas that a keyword holds in a list.
    mutating func schemas(_ keyword: String, _ keywords: inout SchemaKeywords) -> [Int]? {
        guard let list = list(keyword, &keywords) else { return nil }
        if list.isEmpty { refuse(keyword, keywords, "must hold at least one schema") }
        return list.enumerated().map { index, value in
            schema(
                value, parent: keywords.id, tokens: [keyword, String(index)],
                pointer: keywords.pointer + [keyword, String(index)], base: keywords.base)
        }
    }

    /// Compiles the schemas that a keyword holds by names.
    mutating func schemasByName(_ keyword: String, _ keywords: inout SchemaKeywords) -> [(name: String, value: Int)] {
        guard let value = keywords.take(keyword) else { return [] }
        guard let members = value.objectValue else {
            refuse(keyword, keywords, "must be an object")
            return []
        }
        return members.map { name, value in
            (
                name,
                schema(
                    value, parent: keywords.id, tokens: [keyword, name], pointer: keywords.pointer + [keyword, name],
                    base: keywords.base)
            )
        }
    }
}
