import CleatJSON
import CleatOrder

/// One keyword of a compiled schema, or a few that only have a meaning together.
enum SchemaRule: Sendable {
    /// The schema `false`.
    case never
    case type(SettingTypes)
    case enumeration([JSONValue])
    case constant(JSONValue)
    /// A bound of numbers; with a format, of the quantities that texts of that format mean.
    case bound(NumberBound, JSONValue, SettingFormat?)
    case count(CountBound, Int)
    case pattern(Pattern)
    case format(SchemaFormat)
    case uniqueItems
    /// `prefixItems` and `items`.
    indirect case elements(prefix: [Int], rest: Int?)
    indirect case contains(Int, minimum: Int?, maximum: Int?)
    /// `properties`, `patternProperties` and `additionalProperties`.
    indirect case members(MemberRules)
    case propertyNames(Int)
    case required([String])
    case dependentRequired([(name: String, others: [String])])
    case dependentSchemas([(name: String, schema: Int)])
    case reference(Int)
    case allOf([Int])
    case anyOf([Int])
    case oneOf([Int])
    case not(Int)
    indirect case conditional(Int, then: Int?, else: Int?)
    case unevaluatedItems(Int)
    case unevaluatedProperties(Int)

    /// The subschemas that are applied to the same value.
    var inPlace: [Int] {
        switch self {
        case .reference(let target), .not(let target): [target]
        case .allOf(let branches), .anyOf(let branches), .oneOf(let branches): branches
        case .conditional(let condition, let then, let otherwise): [condition] + [then, otherwise].compactMap { $0 }
        case .dependentSchemas(let rules): rules.map(\.schema)
        default: []
        }
    }

    /// The subschemas that are applied to members or elements of the value, or to the names of members.
    var below: [Int] {
        switch self {
        case .elements(let prefix, let rest): prefix + [rest].compactMap { $0 }
        case .contains(let schema, _, _), .propertyNames(let schema), .unevaluatedItems(let schema),
            .unevaluatedProperties(let schema):
            [schema]
        case .members(let rules):
            rules.named.values + rules.patterns.map(\.schema) + [rules.additional].compactMap { $0 }
        default: []
        }
    }

    /// True if the rule applies to several members of a group, and is not one that the tree itself checks.
    var isGroupRule: Bool {
        switch self {
        case .dependentRequired, .dependentSchemas, .anyOf, .oneOf, .not, .conditional, .enumeration, .constant: true
        default: false
        }
    }
}

/// The keywords that bound a number.
enum NumberBound: String, Sendable, CaseIterable {
    case minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf
}

/// The keywords that bound a length or a number of members.
enum CountBound: String, Sendable, CaseIterable {
    case minLength, maxLength, minItems, maxItems, minProperties, maxProperties
}

/// The rules that select the schema of each member of an object.
struct MemberRules: Sendable {
    var named = NameTable()
    var patterns: [(pattern: Pattern, schema: Int)] = []
    var additional: Int?
}

/// Finds a subschema by a name, compared by bytes.
struct NameTable: Sendable {
    private(set) var names: [String] = []
    private(set) var values: [Int] = []

    init() {}

    /// Makes a table of names that are all different.
    init(_ pairs: [(name: String, value: Int)]) {
        let sorted = pairs.ordered { ByteOrder.precedes($0.name, $1.name) }
        names = sorted.map(\.name)
        values = sorted.map(\.value)
    }

    subscript(name: String) -> Int? {
        let place = SettingsTree.partition(names.count) { ByteOrder.precedes(names[$0], name) }
        return place < names.count && ByteOrder.areEqual(names[place], name) ? values[place] : nil
    }
}
