import CleatSettings

/// What is known of a value when a template is compiled.
enum TemplateShape: Sendable {
    /// Something of the tree of settings: a group, a map, or a setting.
    case node(SchemaNode)
    /// A part of a setting's value.
    case part(SchemaPart)
    /// Anything.
    case unknown

    /// What stands below it under some names; nil where nothing is described there.
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

    /// The kinds of value; none where any may stand there.
    var types: SettingTypes {
        switch self {
        case .node(let node): node.types
        case .part(let part): part.types
        case .unknown: []
        }
    }

    /// Whether a section of it is there once for each member of an object.
    var isMap: Bool {
        switch self {
        case .node(let node): node.isMap || node.types.isEmpty
        case .part(let part): part.isMap || part.types.isEmpty
        case .unknown: true
        }
    }

    /// Whether a section of it may be there more than once.
    var isLoop: Bool { isMap || types.contains(.array) }

    /// What stands in a section of it as `{{.}}`.
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

    /// Whether it is a secret.
    var isSecret: Bool {
        switch self {
        case .node(let node): node.isSecret
        case .part(let part): part.isSecret
        case .unknown: false
        }
    }

    /// Whether anything in it is a secret.
    var holdsSecrets: Bool {
        guard case .node(let node) = self, node.isInterior, !node.isSecret else { return isSecret }
        return node.object.properties.contains { TemplateShape.node($0.node).holdsSecrets }
    }
}
