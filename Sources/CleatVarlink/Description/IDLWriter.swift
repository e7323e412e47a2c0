/// Formats an interface description: members in their order with an empty line between them, comments above them, lines
/// of at most 100 columns if the fields allow it.
struct IDLWriter {
    private static let width = 100
    private(set) var text = ""

    init(_ description: InterfaceDescription) {
        comment(description.documentation)
        text += "interface \(description.name)\n"
        for member in description.members {
            text += "\n"
            comment(member.documentation)
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

    private mutating func comment(_ documentation: String) {
        guard !documentation.isEmpty else { return }
        for line in documentation.split(separator: "\n", omittingEmptySubsequences: false) {
            text += line.isEmpty ? "#\n" : "# \(line)\n"
        }
    }

    private mutating func line(_ head: String, _ types: [VarlinkType]) {
        let flat = types.map(Self.flat).joined(separator: " -> ")
        if head.utf8.count + flat.utf8.count <= Self.width {
            text += head + flat + "\n"
        } else {
            text += head + types.map(Self.spread).joined(separator: " -> ") + "\n"
        }
    }

    private static func spread(_ type: VarlinkType) -> String {
        switch type {
        case .structure(let fields) where !fields.isEmpty:
            "(\n" + fields.map { "  \($0.name): \(flat($0.type))" }.joined(separator: ",\n") + "\n)"
        case .enumeration(let choices):
            "(\n" + choices.map { "  \($0)" }.joined(separator: ",\n") + "\n)"
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
        case .enumeration(let choices): "(" + choices.joined(separator: ", ") + ")"
        case .array(let element): "[]" + flat(element)
        case .dictionary(let element): "[string]" + flat(element)
        case .optional(let wrapped): "?" + flat(wrapped)
        }
    }
}
