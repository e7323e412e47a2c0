import CleatSettings

/// The type of a value, as far as it is known when a template is compiled; in a box, since each tag copies it.
indirect enum TemplateShape: Sendable {
    /// A node in the tree of settings: a group, a map, or a setting.
    case node(SchemaNode)
    /// A part of a setting's value.
    case part(SchemaPart)
    /// An unknown type.
    case unknown

    /// Returns the shape below this one under some names; nil if the schema does not describe it.
    func below(_ names: [String]) -> TemplateShape? {
        var shape = self
        for name in names {
            switch shape {
            case .node(let node):
                guard let child = node.child(name) else { return nil }
                shape = .node(child)
            case .part(let part):
                guard let member = part.member(name) else { return nil }
                shape = .part(member)
            case .unknown: return nil
            }
        }
        return shape
    }

    /// The types of the value; empty if any type is allowed.
    var types: SettingTypes {
        switch self {
        case .node(let node): node.types
        case .part(let part): part.types
        case .unknown: []
        }
    }

    /// True if a section of it is repeated for each member of an object.
    var isMap: Bool {
        switch self {
        case .node(let node): node.isMap || node.types.isEmpty
        case .part(let part): part.isMap || part.types.isEmpty
        case .unknown: true
        }
    }

    /// True if a section of it may be repeated.
    var isLoop: Bool { isMap || types.contains(.array) }

    /// The shape of `{{.}}` in a section of it.
    var inside: TemplateShape {
        switch self {
        case .node(let node):
            if node.isMap { return node.mapEntry.map(Self.node) ?? .unknown }
            if node.isInterior { return self }
            if node.types == .array { return node.element.map(Self.part) ?? .unknown }
            return node.types.contains(.array) || node.types.isEmpty ? .unknown : self
        case .part(let part):
            if part.isMap { return part.entry.map(Self.part) ?? .unknown }
            if part.types == .array { return part.element.map(Self.part) ?? .unknown }
            return part.types.contains(.array) || part.types.isEmpty ? .unknown : self
        case .unknown: return .unknown
        }
    }

    /// True if the value is a secret.
    var isSecret: Bool {
        switch self {
        case .node(let node): node.isSecret
        case .part(let part): part.isSecret
        case .unknown: false
        }
    }

    /// True if the value or any part of it is a secret.
    var holdsSecrets: Bool {
        guard case .node(let node) = self, node.isInterior, !node.isSecret else { return isSecret }
        return node.object.properties.contains { TemplateShape.node($0.node).holdsSecrets }
    }
}
