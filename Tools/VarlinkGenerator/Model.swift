import CleatVarlink

/// The Swift type of a member without its optionality.
enum MemberType: Hashable {
    case text, int64, int, flag, value, texts, properties
    case choice(String)
    case structure(String)
    case list(String)

    /// Returns true if values of both types look alike on the wire, apart from the choices of enumerations.
    func hasWireType(of other: MemberType) -> Bool {
        switch (self, other) {
        case (.int, .int64), (.int64, .int), (.choice, .choice): true
        default: self == other
        }
    }

    /// The type in Swift.
    var swift: String {
        switch self {
        case .text: "String"
        case .int64: "Int64"
        case .int: "Int"
        case .flag: "Bool"
        case .value: "JSONValue"
        case .texts: "[String]"
        case .properties: "[String: String]"
        case .choice(let name), .structure(let name): name
        case .list(let name): "[\(name)]"
        }
    }
}

/// A member of a structure.
struct Member {
    let wireName: String
    let name: String
    let type: MemberType
    let isOptional: Bool
    let prose: String
    let defaultValue: String?
    /// The range of an integer as arguments in Swift: `in: 0 ... .max`.
    let range: String?
    /// The enumeration that is declared inside of the structure for this member.
    let choices: Enumeration?

    /// The name where it is declared, in backticks if it is a keyword.
    var declared: String { SwiftName.escaped(name) }
}

/// An enumeration of strings.
struct Enumeration {
    let name: String
    let prose: String
    let choices: [(wireName: String, prose: String)]
}

/// A structure: a declared type, or the parameters or the reply of methods.
struct Structure {
    let name: String
    let prose: String
    let members: [Member]

    /// Returns true if each member of another structure is in this one, in the same order.
    func includes(_ other: Structure) -> Bool {
        var rest = members[...]
        for member in other.members {
            guard let index = rest.firstIndex(where: { $0.wireName == member.wireName }),
                rest[index].type.hasWireType(of: member.type), rest[index].isOptional == member.isOptional
            else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }
}

/// A method: its name, who may call it, and the names of the types of its parameters and its reply.
struct Method {
    let name: String
    let prose: String
    let access: String
    let parameters: Part
    let reply: Part

    /// The parameters or the reply.
    enum Part {
        /// Nothing.
        case none
        /// A structure of the method's own.
        case own(Structure)
        /// A structure of the interface, for several methods.
        case shared(String)
    }
}

/// The rules for names in Swift.
enum SwiftName {
    private static let keywords: Set<String> = [
        "default", "in", "is", "as", "for", "import", "self", "init", "case", "func", "let", "var", "where", "switch",
        "return", "extension", "protocol", "repeat", "operator", "class", "struct", "enum", "static", "public",
    ]
    private static let acronyms = ["id": "ID", "abi": "ABI", "pss": "PSS"]

    /// Returns a name, in backticks if it is a keyword.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Converts `boot_id` to `bootID`.
    static func camelCase(_ name: String) -> String {
        let parts = name.split(separator: "_").map(String.init)
        return parts.dropFirst().reduce(parts[0]) { $0 + (acronyms[$1] ?? capitalised($1)) }
    }

    /// Converts `phase` to `Phase`.
    static func capitalised(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }
}
