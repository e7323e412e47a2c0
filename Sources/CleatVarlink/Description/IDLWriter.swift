/// Formats an interface description: members in their order with an empty line between them, comments above them, lines
/// of at most 100 columns if the fields allow it, and a line for each field or choice if one of them has a comment.
struct IDLWriter {
    private static let width = 100
    private(set) var text = ""
    private let omitsInnerComments: Bool

    /// Formats a description, if wished without the comments of fields and choices.
    init(_ description: InterfaceDescription, omitsInnerComments: Bool = false) {
        self.omitsInnerComments = omitsInnerComments
        text += Self.comment(description.documentation)
        text += "interface \(description.name)\n"
        for member in description.members {
            text += "\n" + Self.comment(member.documentation)
            switch member {
            case .type(let declaration):
                line("type \(declaration.name) ", [declaration.type])
            case .method(let method):
                line("method \(method.name)", [.structure(method.parameters), .structure(method.reply)])
            case .error(let declaration):
                line("error \(declaration.name) ", [.structure(declaration.parameters)])
            }
        }
    }

    private static func comment(_ documentation: String, _ indent: String = "") -> String {
        guard !documentation.isEmpty else { return "" }
        return documentation.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.isEmpty ? "\(indent)#\n" : "\(indent)# \(line)\n"
        }.joined()
    }

    private mutating func line(_ head: String, _ types: [VarlinkType]) {
        if !omitsInnerComments, types.contains(where: Self.hasComments) {
            text += head + types.map { Self.commented($0, "") }.joined(separator: " -> ") + "\n"
            return
        }
        let flat = types.map(Self.flat).joined(separator: " -> ")
        if head.utf8.count + flat.utf8.count <= Self.width {
            text += head + flat + "\n"
        } else {
            text += head + types.map(Self.spread).joined(separator: " -> ") + "\n"
        }
    }

    private static func hasComments(_ type: VarlinkType) -> Bool {
        switch type {
        case .structure(let fields): fields.contains { !$0.documentation.isEmpty || hasComments($0.type) }
        case .enumeration(let choices): choices.contains { !$0.documentation.isEmpty }
        case .array(let inner), .dictionary(let inner), .optional(let inner): hasComments(inner)
        default: false
        }
    }

    /// Formats a type with the comments of its fields and choices.
    private static func commented(_ type: VarlinkType, _ indent: String) -> String {
        guard hasComments(type) else { return flat(type) }
        let inner = indent + "  "
        switch type {
        case .structure(let fields):
            let lines = fields.map { field in
                comment(field.documentation, inner) + "\(inner)\(field.name): \(commented(field.type, inner))"
            }
            return "(\n" + lines.joined(separator: ",\n") + "\n\(indent))"
        case .enumeration(let choices):
            let lines = choices.map { comment($0.documentation, inner) + inner + $0.name }
            return "(\n" + lines.joined(separator: ",\n") + "\n\(indent))"
        case .array(let element): return "[]" + commented(element, indent)
        case .dictionary(let element): return "[string]" + commented(element, indent)
        case .optional(let wrapped): return "?" + commented(wrapped, indent)
        default: return flat(type)
        }
    }

    private static func spread(_ type: VarlinkType) -> String {
        switch type {
        case .structure(let fields) where !fields.isEmpty:
            "(\n" + fields.map { "  \($0.name): \(flat($0.type))" }.joined(separator: ",\n") + "\n)"
        case .enumeration(let choices):
            "(\n" + choices.map { "  \($0.name)" }.joined(separator: ",\n") + "\n)"
        default: flat(type)
        }
    }

    private static func flat(_ type: VarlinkType) -> String {
        switch type {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .named(let name): name
        case .structure(let fields): "(" + fields.map { "\($0.name): \(flat($0.type))" }.joined(separator: ", ") + ")"
        case .enumeration(let choices): "(" + choices.map(\.name).joined(separator: ", ") + ")"
        case .array(let element): "[]" + flat(element)
        case .dictionary(let element): "[string]" + flat(element)
        case .optional(let wrapped): "?" + flat(wrapped)
        }
    }
}
