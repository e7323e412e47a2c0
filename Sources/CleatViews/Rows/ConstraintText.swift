package import CleatJSON
import CleatSettings

/// Describes the constraints of a setting in words.
package struct ConstraintText {
    /// The functions that escape the parts of a phrase for an output format.
    package struct Markup: Sendable {
        let plain: @Sendable (String) -> String
        let code: @Sendable (String) -> String

        /// Creates a markup.
        ///
        /// - Parameters:
        ///   - plain: returns words as text.
        ///   - code: returns a value or a keyword as code.
        package init(plain: @escaping @Sendable (String) -> String, code: @escaping @Sendable (String) -> String) {
            self.plain = plain
            self.code = code
        }

        /// Text without markup.
        package static let none = Markup(plain: { $0 }, code: { $0 })
    }

    /// The maximum number of characters of a keyword's value that is printed as JSON.
    private static let maximumCharacters = 500
    /// The maximum number of values of an enumeration that are listed.
    private static let maximumValues = 64
    /// The maximum nesting of lists that is described in words.
    private static let maximumDepth = 4

    private let keywords: JSONObject
    private let depth: Int
    private let markup: Markup
    private var covered: Set<String> = []
    private var phrases: [String] = []

    /// Returns the phrases for a set of keywords, in fixed order.
    ///
    /// - Parameters:
    ///   - keywords: the keywords of the setting; those that are not constraints are ignored.
    ///   - markup: the markup of the phrases.
    ///   - depth: the number of enclosing lists.
    /// - Returns: the phrases, each of which can follow “allowed: ”, alone or with the others.
    package static func phrases(for keywords: JSONObject, as markup: Markup, depth: Int = 0) -> [String] {
        var text = ConstraintText(keywords: keywords, depth: depth, markup: markup)
        text.addAll()
        return text.phrases
    }

    private init(keywords: JSONObject, depth: Int, markup: Markup) {
        self.keywords = keywords
        self.depth = depth
        self.markup = markup
    }

    private mutating func addAll() {
        addChoice()
        addFormat()
        addRange()
        addCounts()
        addItems()
        for (keyword, value) in keywords where !covered.contains(keyword) && !Self.silent(keyword) {
            let text = JSONWriter.write(value)
            let isLong = text.count > Self.maximumCharacters
            let shown = isLong ? text.prefix(Self.maximumCharacters) + "…" : text[...]
            phrases.append("\(markup.code(keyword)): \(markup.code(String(shown)))")
        }
    }

    /// Returns true for keywords that are not constraints.
    private static func silent(_ keyword: String) -> Bool {
        keyword.hasPrefix("x-")
            || ["examples", "deprecated", "readOnly", "writeOnly", "$id", "$defs", "$comment", "title", "description"]
                .contains(keyword)
    }

    private mutating func take(_ keyword: String) -> JSONValue? {
        guard let value = keywords[keyword] else { return nil }
        covered.insert(keyword)
        return value
    }

    private func code(_ value: JSONValue) -> String {
        markup.code(SettingText.text(of: value))
    }

    private mutating func addChoice() {
        if let values = take("enum")?.arrayValue {
            let more = values.count > Self.maximumValues ? " and \(values.count - Self.maximumValues) more" : ""
            let list = values.prefix(Self.maximumValues).map { code($0) }.joined(separator: ", ")
            phrases.append("one of \(list)\(more)")
        }
        if let value = take("const") { phrases.append("only \(code(value))") }
    }

    private mutating func addFormat() {
        if let name = keywords["format"]?.stringValue, let text = SettingFormat.expectation(ofFormat: name) {
            covered.insert("format")
            phrases.append(markup.plain(text))
        }
        // A setting that accepts IPv4 and IPv6 addresses is declared with anyOf and two formats.
        if let branches = keywords["anyOf"]?.arrayValue {
            let formats = branches.compactMap { branch -> String? in
                guard let branch = branch.objectValue, branch.count == 1 else { return nil }
                return branch["format"]?.stringValue.flatMap(SettingFormat.expectation(ofFormat:))
            }
            if formats.count == branches.count {
                covered.insert("anyOf")
                phrases.append(formats.map(markup.plain).joined(separator: ", or "))
            }
        }
        if let pattern = take("pattern")?.stringValue { phrases.append("matches \(markup.code(pattern))") }
    }

    private mutating func addRange() {
        let format = keywords["format"]?.stringValue.flatMap(SettingFormat.init)
        func shown(_ value: JSONValue) -> String {
            value.integerValue.flatMap { format?.text(quantity: $0) } ?? value.description
        }
        let minimum = take("minimum").map(shown)
        let maximum = take("maximum").map(shown)
        switch (minimum, maximum) {
        case (let minimum?, let maximum?): phrases.append("\(minimum) to \(maximum)")
        case (let minimum?, nil): phrases.append("at least \(minimum)")
        case (nil, let maximum?): phrases.append("at most \(maximum)")
        case (nil, nil): break
        }
        if let limit = take("exclusiveMinimum") { phrases.append("more than \(shown(limit))") }
        if let limit = take("exclusiveMaximum") { phrases.append("less than \(shown(limit))") }
        if let step = take("multipleOf") { phrases.append("a multiple of \(shown(step))") }
        if let unit = take("x-unit")?.stringValue { phrases.append("in \(markup.plain(unit))") }
    }

    private mutating func addCounts() {
        for (least, most, one, many) in [
            ("minLength", "maxLength", "character", "characters"), ("minItems", "maxItems", "item", "items"),
            ("minProperties", "maxProperties", "member", "members"),
        ] {
            let minimum = take(least)?.intValue
            let maximum = take(most)?.intValue
            func counted(_ count: Int) -> String { "\(count) \(count == 1 ? one : many)" }
            switch (minimum, maximum) {
            case (let minimum?, let maximum?):
                phrases.append(minimum == maximum ? counted(maximum) : "\(minimum) to \(counted(maximum))")
            case (let minimum?, nil): phrases.append("at least \(counted(minimum))")
            case (nil, let maximum?): phrases.append("at most \(counted(maximum))")
            case (nil, nil): break
            }
        }
        if take("uniqueItems")?.boolValue == true { phrases.append("no item twice") }
    }

    private mutating func addItems() {
        guard depth < Self.maximumDepth, let items = keywords["items"]?.objectValue else { return }
        covered.insert("items")
        let types = items["type"].map { $0.arrayValue?.compactMap(\.stringValue) ?? [$0.stringValue ?? ""] } ?? []
        var inner = items
        inner["type"] = nil
        let words = [types.joined(separator: " or ")].filter { !$0.isEmpty }.map(markup.plain)
        let rules = Self.phrases(for: inner, as: markup, depth: depth + 1)
        let all = words + rules
        if !all.isEmpty { phrases.append("each item: \(all.joined(separator: ", "))") }
    }
}
