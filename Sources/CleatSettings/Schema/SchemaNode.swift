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

        /// True if there are rules over the presence or the number of members.
        var hasPresenceRules: Bool { !required.isEmpty || minProperties != nil || maxProperties != nil }

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
    /// The description of the place, which refuses no value.
    let annotations: SchemaAnnotations
    /// The only valid values; nil if they are not listed.
    package let enumeration: [JSONValue]?
    /// Rules for objects.
    package let object: ObjectRules
    /// The compiled rules for the value, one for each file that describes the place.
    let rules: [NodeRules]
    /// The place in the tree, with names in braces for the keys of maps; empty at the top.
    let place: String
    /// True if this place or one below it has a default.
    let hasDefaults: Bool

    init(
        _ types: SettingTypes = [], annotations: SchemaAnnotations = SchemaAnnotations(),
        enumeration: [JSONValue]? = nil, object: ObjectRules, rules: [NodeRules] = [], place: String = ""
    ) {
        self.types = types
        self.annotations = annotations
        self.enumeration = enumeration
        self.object = object
        self.rules = rules
        self.place = place
        hasDefaults =
            annotations.defaultValue != nil || object.properties.contains { $0.node.hasDefaults }
            || object.entryKinds.contains { $0.hasDefaults }
    }

    /// A place that accepts any value and any settings below it.
    static let any = SchemaNode(object: ObjectRules(additional: .any))

    /// A place inside a secret that accepts any value and any settings below it.
    static let anySecret = SchemaNode(
        annotations: SchemaAnnotations(isWriteOnly: true), object: ObjectRules(additional: .any))

    /// A short name for users.
    package var title: String? { annotations.title }
    /// The effect of the setting, for users.
    package var description: String? { annotations.description }
    /// The value while the setting is unset.
    package var defaultValue: JSONValue? { annotations.defaultValue }
    /// Example values.
    package var examples: [JSONValue] { annotations.examples }
    /// True if the value is a secret (`writeOnly`), which errors and listings must not show.
    package var isSecret: Bool { annotations.isWriteOnly }
    /// True if the setting should no longer be used.
    package var isDeprecated: Bool { annotations.isDeprecated }
    /// True if users must not change the setting.
    package var isReadOnly: Bool { annotations.isReadOnly }
    /// The keywords that begin with `x-`.
    package var extensions: JSONObject { annotations.extensions }

    /// The node's keywords as a schema that can be read without other schemas.
    package var json: JSONObject { SchemaExporter.json(of: self) }

    /// Returns a value in its stored form.
    package func canonical(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members) where isInterior:
            return .object(
                JSONObject(members.map { ($0.key, object.property($0.key)?.canonical($0.value) ?? $0.value) }))
        case .number(let number) where rules.isEmpty: return Int64(exactly: number).map(JSONValue.integer) ?? value
        default: return rules.first.map { $0.schema.canonical(value, by: $0.ids) } ?? value
        }
    }

    // MARK: Places below

    /// True if this place is a group or a map, so that settings are below it.
    package var isInterior: Bool { types == .object }

    /// Finds the schema of a member by the bytes of its name.
    ///
    /// - Returns: the schema, and whether the member is an entry of a map; nil if the rules need the name as text.
    func member(_ name: UnsafeBufferPointer<UInt8>) -> (node: SchemaNode, isEntry: Bool)? {
        let place = SettingsTree.partition(object.properties.count) {
            unsafe ByteOrder.precedes(object.properties[$0].name, name)
        }
        if place < object.properties.count, unsafe ByteOrder.areEqual(object.properties[place].name, name) {
            return (object.properties[place].node, false)
        }
        guard object.patterns.isEmpty, object.propertyNames == nil, case .entries(let entry) = object.additional
        else { return nil }
        return (entry, true)
    }

    /// The placeholder for the keys of a map in paths such as `network/interfaces/{name}/mtu`.
    var keyName: String { object.propertyNames?.title ?? "name" }

    /// The schema of the list's elements; nil if the schema describes none.
    package var element: SchemaPart? {
        SchemaPart(rules.map { SchemaPart.elements($0.schema, $0.ids) }, isSecret: isSecret)
    }

    /// Returns the node below this place with a name; nil if the schema describes none.
    package func child(_ name: String) -> SchemaNode? {
        guard isInterior else { return nil }
        return object.property(name) ?? object.entry(name)
    }

    /// True if this is a map: an object whose members have names of the user's choice only.
    package var isMap: Bool {
        guard isInterior, object.properties.isEmpty else { return false }
        if case .closed = object.additional { return !object.patterns.isEmpty }
        return true
    }

    /// The schema of a map's entries; nil if they do not all have the same one.
    package var mapEntry: SchemaNode? {
        let kinds = object.entryKinds
        return kinds.count == 1 ? kinds[0] : nil
    }

    /// True if the node is a secret, or a group or map that contains one.
    package var holdsSecrets: Bool {
        if isSecret { return true }
        return isInterior && holdsSecrets(besides: nil)
    }

    /// Returns true if a member other than that with a name is a secret, or contains one.
    package func holdsSecrets(besides name: String?) -> Bool {
        object.properties.contains { $0.name != name && $0.node.holdsSecrets }
            || object.entryKinds.contains { $0.holdsSecrets }
    }

    /// True if the place or one below it should no longer be used.
    var hasDeprecated: Bool {
        if isDeprecated { return true }
        return object.properties.contains { $0.node.hasDeprecated }
            || object.entryKinds.contains(where: \.hasDeprecated)
    }

    /// True if the place or a property below it has a default, so that it exists without any set value.
    var hasFixedDefaults: Bool {
        isInterior ? object.properties.contains { $0.node.hasFixedDefaults } : defaultValue != nil
    }
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
