package import CleatJSON

/// The schema of one place in the tree of settings.
package final class SchemaNode: Sendable {
    /// The members that an object accepts in addition to its named properties.
    package enum Additional: Sendable {
        /// No other members.
        case closed
        /// Any members.
        case any
        /// A map: entries with names of the user's choice, all alike.
        case entries(SchemaNode)
    }

    /// Bounds of a number, or of the quantity that a duration or a size means.
    package struct NumberRules: Sendable {
        /// The minimum.
        package var minimum: JSONValue?
        /// The maximum.
        package var maximum: JSONValue?
        /// The bound that the value must exceed.
        package var exclusiveMinimum: JSONValue?
        /// The bound that the value must be less than.
        package var exclusiveMaximum: JSONValue?
        /// The divisor that the value must be a multiple of.
        package var multipleOf: JSONValue?
    }

    /// Bounds and form of a string.
    package struct StringRules: Sendable {
        /// The minimum number of characters (Unicode scalars).
        package var minLength: Int?
        /// The maximum number of characters (Unicode scalars).
        package var maxLength: Int?
        /// The pattern that the string must match anywhere.
        package var pattern: Pattern?
        /// The form that the string must have.
        package var format: SettingFormat?
    }

    /// Bounds and elements of an array.
    package struct ArrayRules: Sendable {
        /// The schema of each element.
        package var items: SchemaNode?
        /// The minimum number of elements.
        package var minItems: Int?
        /// The maximum number of elements.
        package var maxItems: Int?
        /// True if no two elements may be equal.
        package var uniqueItems = false
    }

    /// Members of an object.
    package struct ObjectRules: Sendable {
        /// The named properties, by the bytes of their names.
        package var properties: [(name: String, node: SchemaNode)] = []
        /// The schemas of members without a property of their own, by a pattern of their names.
        package var patterns: [(pattern: Pattern, node: SchemaNode)] = []
        /// The other members that the object accepts.
        package var additional = Additional.closed
        /// The schema of the keys of a map.
        package var propertyNames: SchemaNode?
        /// The properties that must have a value or a default.
        package var required: [String] = []
        /// The minimum number of members.
        package var minProperties: Int?
        /// The maximum number of members.
        package var maxProperties: Int?

        /// Finds a named property.
        package func property(_ name: String) -> SchemaNode? {
            let place = SettingsTree.partition(properties.count) { ByteOrder.precedes(properties[$0].name, name) }
            guard place < properties.count, ByteOrder.areEqual(properties[place].name, name) else { return nil }
            return properties[place].node
        }

        /// The schemas of a map's entries, regardless of their names.
        var entryKinds: [SchemaNode] {
            guard case .entries(let entry) = additional else { return patterns.map(\.node) }
            return patterns.map(\.node) + [entry]
        }

        /// Returns the schema of a map's entry with a name; nil if there can be no such entry, or if any is accepted.
        func entry(_ name: String) -> SchemaNode? {
            if let node = matching(name) { return node }
            guard case .entries(let entry) = additional else { return nil }
            return entry
        }

        /// Returns the schema of a member by the first pattern that its name matches.
        func matching(_ name: String) -> SchemaNode? {
            patterns.first { $0.pattern.matches(name) }?.node
        }
    }

    /// The kinds of value.
    package let types: SettingTypes
    /// A short name for users.
    package let title: String?
    /// The effect of the setting, for users.
    package let description: String?
    /// The value while the setting is unset.
    package let defaultValue: JSONValue?
    /// Example values.
    package let examples: [JSONValue]
    /// True if the value is a secret (`writeOnly`), which errors and listings must not show.
    package let isSecret: Bool
    /// True if the setting should no longer be used.
    package let isDeprecated: Bool
    /// True if users must not change the setting.
    package let isReadOnly: Bool
    /// The only valid values; nil if they are not listed.
    package let enumeration: [JSONValue]?
    /// The only valid value; nil if there is more than one.
    package let constant: JSONValue?
    /// Rules for numbers.
    package let number: NumberRules
    /// Rules for strings.
    package let string: StringRules
    /// Rules for arrays.
    package let array: ArrayRules
    /// Rules for objects.
    package let object: ObjectRules
    /// The keywords that begin with `x-`.
    package let extensions: JSONObject

    /// The compiled rules for the value, one for each file that describes the place.
    let rules: [NodeRules]
    /// The place in the tree, with names in braces for the keys of maps; empty at the top.
    let place: String
    /// True if this place or one below it has a default.
    let hasDefaults: Bool

    /// Makes a node; omitted rules do not restrict the value.
    package convenience init(
        _ types: SettingTypes = [], title: String? = nil, description: String? = nil,
        default defaultValue: JSONValue? = nil,
        examples: [JSONValue] = [], isSecret: Bool = false, isDeprecated: Bool = false, enumeration: [JSONValue]? = nil,
        constant: JSONValue? = nil, number: NumberRules = NumberRules(), string: StringRules = StringRules(),
        array: ArrayRules = ArrayRules(), object: ObjectRules = ObjectRules(), extensions: JSONObject = JSONObject()
    ) {
        self.init(
            types, title: title, description: description, default: defaultValue, examples: examples,
            isSecret: isSecret, isDeprecated: isDeprecated, isReadOnly: false, enumeration: enumeration,
            constant: constant, number: number, string: string, array: array, object: object, extensions: extensions,
            rules: [], place: "")
    }

    init(
        _ types: SettingTypes, title: String?, description: String?, default defaultValue: JSONValue?,
        examples: [JSONValue], isSecret: Bool, isDeprecated: Bool, isReadOnly: Bool, enumeration: [JSONValue]?,
        constant: JSONValue?, number: NumberRules, string: StringRules, array: ArrayRules, object: ObjectRules,
        extensions: JSONObject, rules: [NodeRules], place: String
    ) {
        self.types = types
        self.title = title
        self.description = description
        self.defaultValue = defaultValue
        self.examples = examples
        self.isSecret = isSecret
        self.isDeprecated = isDeprecated
        self.isReadOnly = isReadOnly
        self.enumeration = enumeration
        self.constant = constant
        self.number = number
        self.string = string
        self.array = array
        self.object = object
        self.extensions = extensions
        self.rules = rules
        self.place = place
        var hasDefaults = defaultValue != nil || object.properties.contains { $0.node.hasDefaults }
        if object.patterns.contains(where: { $0.node.hasDefaults }) { hasDefaults = true }
        if case .entries(let entry) = object.additional, entry.hasDefaults { hasDefaults = true }
        self.hasDefaults = hasDefaults
    }

    /// A place that accepts any value and any settings below it.
    static let any = SchemaNode(object: ObjectRules(additional: .any))

    /// A place inside a secret that accepts any value and any settings below it.
    static let anySecret = SchemaNode(isSecret: true, object: ObjectRules(additional: .any))

    /// True if this place is a group or a map, so that settings are below it.
    package var isInterior: Bool { types == .object }

    /// The placeholder for the keys of a map in paths such as `network/interfaces/{name}/mtu`.
    var keyName: String { object.propertyNames?.title ?? "name" }
}

/// The compiled rules of one file for one place of the tree.
struct NodeRules: Sendable {
    /// The file, for messages.
    let file: String
    let schema: JSONSchema
    /// The subschemas that apply to the place unconditionally.
    let ids: [Int]
    /// At a group, the subschemas with rules over several of its settings.
    let groupIDs: [Int]
    /// At a group, the members that the file describes: its rules do not apply to those of other files.
    let isKnown: KnownMembers
}

/// The members of a group that one file describes, at all levels.
indirect enum KnownMembers: Sendable {
    case everything
    case names(NameTable, [KnownMembers])

    /// Returns the part of a value that the file describes.
    func part(of value: JSONValue) -> JSONValue {
        guard case .names(let table, let below) = self, case .object(let members) = value else { return value }
        return .object(
            JSONObject(
                members.compactMap { name, value in
                    table[name].map { (name, below[$0].part(of: value)) }
                }))
    }
}
