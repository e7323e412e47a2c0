package import CleatJSON

/// Says what every path of the tree of settings may hold.
package struct Schema: Sendable {
    /// The object at the top.
    package let root: SchemaNode

    /// Makes a schema.
    ///
    /// - Parameter root: an object.
    package init(root: SchemaNode) {
        self.root = root
    }

    /// What the schema says about one path.
    package enum Place: Sendable {
        /// A setting.
        case setting(SchemaNode)
        /// A group of settings with fixed names, or a map.
        case group(SchemaNode)
        /// One entry of a map whose entries are groups.
        case entry(SchemaNode)
        /// The path goes through a key that the map does not take.
        case invalidKey(map: SettingPath, key: String, problem: String)
        /// The path goes on below a setting.
        case belowSetting(SettingPath)
        /// Nothing has this path.
        case unknown
    }

    /// Finds what the schema says about a path.
    package func place(of path: SettingPath) -> Place {
        var node = root
        var place = Place.group(root)
        for (index, segment) in path.segments.enumerated() {
            guard node.isInterior || node.types.isEmpty else {
                return .belowSetting(path.beginning(index))
            }
            if let property = node.object.property(segment) {
                node = property
                place = node.isInterior ? .group(node) : .setting(node)
                continue
            }
            switch node.object.additional {
            case .closed: return .unknown
            case .any:
                node = .any
                place = .setting(node)
            case .entries(let entry):
                if let names = node.object.propertyNames, let problem = names.firstProblem(with: .string(segment)) {
                    return .invalidKey(map: path.beginning(index), key: segment, problem: problem.reason)
                }
                node = entry
                place = node.isInterior ? .entry(node) : .setting(node)
            }
        }
        return place
    }

    /// The node that describes a path; nil where nothing has the path.
    package func lookup(_ path: SettingPath) -> SchemaNode? {
        switch place(of: path) {
        case .setting(let node), .group(let node), .entry(let node): node
        default: nil
        }
    }

    /// Writes a value the way it is stored: durations, sizes and addresses in canonical form, 1.0 as 1.
    ///
    /// - Parameters:
    ///   - value: as it came in.
    ///   - path: where it is to be stored.
    /// - Returns: the value itself where it does not fit the schema; validation says why.
    package func canonical(_ value: JSONValue, at path: SettingPath) -> JSONValue {
        lookup(path)?.canonical(value) ?? value
    }
}

extension SchemaNode {
    /// Writes a value the way it is stored.
    package func canonical(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number):
            if let integer = Int64(exactly: number) { return canonical(.integer(integer)) }
            return value
        case .integer(let quantity):
            guard types == .string, let text = string.format?.text(quantity: quantity) else { return value }
            return .string(text)
        case .string(let text):
            guard let format = string.format else { return value }
            return .string(format.canonical(text))
        case .array(let values):
            guard let items = array.items else { return value }
            return .array(values.map(items.canonical))
        case .object(let members):
            return .object(
                JSONObject(members.map { ($0.key, object.property($0.key)?.canonical($0.value) ?? $0.value) }))
        default: return value
        }
    }
}

extension Schema {
    /// Turns a number or a boolean into the text of a setting that takes strings only, for callers that cannot know it.
    ///
    /// - Parameters:
    ///   - value: as it was guessed from a text.
    ///   - path: where it is to be stored.
    /// - Returns: the value itself where nothing needs to be done.
    package func coerced(_ value: JSONValue, at path: SettingPath) -> JSONValue {
        guard let node = lookup(path), node.types == .string, node.string.format?.text(quantity: 0) == nil else {
            return value
        }
        return switch value {
        case .bool, .integer, .number: .string(value.description)
        default: value
        }
    }
}
