package import CleatJSON

/// Says what may stand at one place of the tree of settings.
package final class SchemaNode: Sendable {
    /// What may stand below an object beside its named properties.
    package enum Additional: Sendable {
        /// Nothing.
        case closed
        /// Anything.
        case any
        /// A map: entries with names of the user's choice, all alike.
        case entries(SchemaNode)
    }

    /// Bounds of a number, or of the quantity that a duration or a size stands for.
    package struct NumberRules: Sendable {
        /// The least value.
        package var minimum: JSONValue?
        /// The greatest value.
        package var maximum: JSONValue?
        /// What the value must exceed.
        package var exclusiveMinimum: JSONValue?
        /// What the value must stay below.
        package var exclusiveMaximum: JSONValue?
        /// What the value must be a multiple of.
        package var multipleOf: JSONValue?
    }

    /// Bounds and form of a string.
    package struct StringRules: Sendable {
        /// The fewest characters (Unicode scalars).
        package var minLength: Int?
        /// The most characters (Unicode scalars).
        package var maxLength: Int?
        /// What the string must match somewhere.
        package var pattern: Pattern?
        /// The form that the string must have.
        package var format: SettingFormat?
    }

    /// Bounds and elements of an array.
    package struct ArrayRules: Sendable {
        /// What each element must be.
        package var items: SchemaNode?
        /// The fewest elements.
        package var minItems: Int?
        /// The most elements.
        package var maxItems: Int?
        /// Whether no two elements may be equal.
        package var uniqueItems = false
    }

    /// Members of an object.
    package struct ObjectRules: Sendable {
        /// The named properties, by the bytes of their names.
        package var properties: [(name: String, node: SchemaNode)] = []
        /// What members are whose names match, where none is named.
        package var patterns: [(pattern: Pattern, node: SchemaNode)] = []
        /// What may stand beside them.
        package var additional = Additional.closed
        /// What the keys of a map must be.
        package var propertyNames: SchemaNode?
        /// The properties that must be there, as values or as defaults.
        package var required: [String] = []
        /// The fewest members.
        package var minProperties: Int?
        /// The most members.
        package var maxProperties: Int?

        /// Finds a named property.
        package func property(_ name: String) -> SchemaNode? {
            let place = SettingsTree.partition(properties.count) { ByteOrder.precedes(properties[$0].name, name) }
            guard place < properties.count, ByteOrder.areEqual(properties[place].name, name) else { return nil }
            return properties[place].node
        }

        /// What the entries of a map are, whatever their names.
        var entryKinds: [SchemaNode] {
            guard case .entries(let entry) = additional else { return patterns.map(\.node) }
            return patterns.map(\.node) + [entry]
        }

        /// What the entry of a map with a name is; nil where there can be none, or anything.
        func entry(_ name: String) -> SchemaNode? {
            if let node = matching(name) { return node }
            guard case .entries(let entry) = additional else { return nil }
            return entry
        }

        /// Finds what a member is by the first pattern that its name matches.
        func matching(_ name: String) -> SchemaNode? {
            patterns.first { $0.pattern.matches(name) }?.node
        }
    }

    /// The kinds of value.
    package let types: SettingTypes
    /// A short name for people.
    package let title: String?
    /// What the setting does, for people.
    package let description: String?
    /// The value while nothing else sets one.
    package let defaultValue: JSONValue?
    /// Values to learn from.
    package let examples: [JSONValue]
    /// Whether the value is a secret (`writeOnly`), which errors and listings must not show.
    package let isSecret: Bool
    /// Whether the setting should no longer be used.
    package let isDeprecated: Bool
    /// Whether the setting is not for people to change.
    package let isReadOnly: Bool
    /// The only values allowed, where they are listed.
    package let enumeration: [JSONValue]?
    /// The only value allowed, where there is just one.
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

    /// The compiled rules that a value must keep, one for each file that describes the place.
    let rules: [NodeRules]
    /// The place in the tree, with names in braces for the keys of maps; empty at the top.
    let place: String
    /// Whether something at this place or below it has a default.
    let hasDefaults: Bool

    /// Makes a node; what is left out is free.
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

    /// A place where any value may stand, and anything below it.
    static let any = SchemaNode(object: ObjectRules(additional: .any))

    /// A place inside a secret where any value may stand, and anything below it.
    static let anySecret = SchemaNode(isSecret: true, object: ObjectRules(additional: .any))

    /// Whether settings stand below this place rather than at it.
    package var isInterior: Bool { types == .object }

    /// The name that stands for the keys of a map in paths such as `network/interfaces/{name}/mtu`.
    var keyName: String { object.propertyNames?.title ?? "name" }
}

/// The compiled rules of one file for one place of the tree.
struct NodeRules: Sendable {
    /// The file, for messages.
    let file: String
    let schema: JSONSchema
    /// The subschemas that hold at the place whatever stands beside it.
    let ids: [Int]
    /// At a group, the subschemas with rules over several of its settings.
    let groupIDs: [Int]
    /// At a group, what the file itself knows of it: its rules are not asked about what other files describe.
    let isKnown: KnownMembers
}

/// Which members of a group one file describes, all the way down.
indirect enum KnownMembers: Sendable {
    case everything
    case names(NameTable, [KnownMembers])

    /// The part of a value that the file describes.
    func part(of value: JSONValue) -> JSONValue {
        guard case .names(let table, let below) = self, case .object(let members) = value else { return value }
        return .object(
            JSONObject(
                members.compactMap { name, value in
                    table[name].map { (name, below[$0].part(of: value)) }
                }))
    }
}
