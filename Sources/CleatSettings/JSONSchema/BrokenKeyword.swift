import CleatJSON

/// A keyword of a schema that a value breaks, without its message.
struct BrokenKeyword: Sendable {
    /// The details of a broken rule that are in neither the rule nor the value.
    enum Detail: Sendable {
        case none
        case name(String)
        case dependency(name: String, missing: String)
        case count(Int)
        case value(JSONValue)
        indirect case branches([[BrokenKeyword]])
        case matching([Int])
    }

    let path: [SchemaViolation.Step]
    let node: Int
    let keyword: String
    let rule: SchemaRule
    let value: JSONValue
    let detail: Detail
}

/// The keywords that one value breaks, up to a limit; all are counted.
struct BrokenKeywordLog: Sendable {
    /// The first broken keywords, in the order in which they were found.
    private(set) var keywords: [BrokenKeyword] = []
    /// The number of all broken keywords.
    private(set) var count = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds a broken keyword.
    mutating func add(
        _ path: [SchemaViolation.Step], _ node: Int, _ keyword: String, _ rule: SchemaRule, _ value: JSONValue,
        _ detail: BrokenKeyword.Detail
    ) {
        count += 1
        guard keywords.count < capacity else { return }
        keywords.append(
            BrokenKeyword(path: path, node: node, keyword: keyword, rule: rule, value: value, detail: detail))
    }
}
