/// A parser for the text of an interface description.
struct IDLParser {
    /// The maximum length of the text in bytes.
    static let sizeLimit = 256 * 1024
    /// The maximum depth of nested types.
    static let depthLimit = 32

    private var lexer: IDLLexer
    private var token: IDLToken
    private var depth = 0
    /// The uses of types that must be declared.
    private var uses: [(name: String, token: IDLToken)] = []
    private var declared: Set<String> = []
    private var typeNames: Set<String> = []

    private(set) var name = ""
    private(set) var documentation = ""
    private(set) var members: [VarlinkMember] = []

    init(_ text: String) throws(IDLError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.sizeLimit else {
            throw IDLError(
                code: .tooLarge, line: 1, column: 1,
                message: "an interface description of \(bytes.count) bytes is over the limit of \(Self.sizeLimit)")
        }
        lexer = IDLLexer(bytes)
        token = try lexer.next()
        try parse()
    }

    // MARK: Declarations

    private mutating func parse() throws(IDLError) {
        guard token.kind == .word("interface") else { throw expected("'interface'") }
        documentation = token.documentation
        try advance()
        guard case .word(let name) = token.kind else { throw expected("the interface's name") }
        guard IDLNames.isInterface(name) else {
            throw error(.badName, "'\(name)' is not an interface name such as com.example.service")
        }
        self.name = name
        try advance()
        while token.kind != .end { try parseMember() }
        for use in uses where !typeNames.contains(use.name) {
            throw IDLError(
                code: .undefinedType, line: use.token.line, column: use.token.column,
                message: "the type '\(use.name)' is not declared in \(name)")
        }
    }

    private mutating func parseMember() throws(IDLError) {
        guard case .word(let keyword) = token.kind, ["type", "method", "error"].contains(keyword) else {
            throw expected("'type', 'method' or 'error'")
        }
        guard token.startsLine else { throw error(.syntax, "'\(keyword)' must start a line") }
        let documentation = token.documentation
        try advance()
        let name = try parseMemberName(of: keyword)
        switch keyword {
        case "type":
            guard token.kind == .open else { throw expected("'(': a declared type is a structure or an enumeration") }
            typeNames.insert(name)
            let type = try parseParenthesised()
            members.append(.type(VarlinkTypeDeclaration(name: name, documentation: documentation, type: type)))
        case "method":
            let parameters = try parseFields()
            guard token.kind == .arrow else { throw expected("'->'") }
            try advance()
            let reply = try parseFields()
            members.append(
                .method(VarlinkMethod(name: name, documentation: documentation, parameters: parameters, reply: reply)))
        default:
            let parameters = try parseFields()
            members.append(
                .error(VarlinkErrorDeclaration(name: name, documentation: documentation, parameters: parameters)))
        }
    }

    private mutating func parseMemberName(of keyword: String) throws(IDLError) -> String {
        guard case .word(let name) = token.kind else { throw expected("the name of the \(keyword)") }
        guard IDLNames.isMember(name) else {
            throw error(.badName, "'\(name)' cannot name a \(keyword): a capital, then letters and digits")
        }
        guard declared.insert(name).inserted else { throw error(.duplicate, "'\(name)' is declared twice") }
        try advance()
        return name
    }

    // MARK: Types

    private mutating func parseFields() throws(IDLError) -> [VarlinkField] {
        let start = token
        guard token.kind == .open else { throw expected("'('") }
        guard case .structure(let fields) = try parseParenthesised() else {
            throw IDLError(
                code: .syntax, line: start.line, column: start.column,
                message: "expected fields with their types, found an enumeration")
        }
        return fields
    }

    private mutating func parseType() throws(IDLError) -> VarlinkType {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthLimit else {
            throw error(.tooDeep, "types are nested deeper than the limit of \(Self.depthLimit)")
        }
        switch token.kind {
        case .optional:
            try advance()
            guard token.kind != .optional else { throw error(.syntax, "'?' cannot follow '?'") }
            return .optional(try parseType())
        case .array:
            try advance()
            return .array(try parseType())
        case .dictionary:
            try advance()
            return .dictionary(try parseType())
        case .open:
            return try parseParenthesised()
        case .word(let word):
            return try parseNamedType(word)
        default:
            throw expected("a type")
        }
    }

    private mutating func parseNamedType(_ word: String) throws(IDLError) -> VarlinkType {
        let type: VarlinkType
        switch word {
        case "bool": type = .bool
        case "int": type = .int
        case "float": type = .float
        case "string": type = .string
        case "object": type = .object
        default:
            guard IDLNames.isMember(word) else {
                throw error(
                    .badName,
                    "'\(word)' is not a type: expected bool, int, float, string, object or the name of a declared type")
            }
            uses.append((word, token))
            type = .named(word)
        }
        try advance()
        return type
    }

    /// Reads a structure or an enumeration: it is a structure if a colon follows the first name.
    private mutating func parseParenthesised() throws(IDLError) -> VarlinkType {
        try advance()
        var fields: [VarlinkField] = []
        var choices: [VarlinkChoice] = []
        if token.kind == .close {
            try advance()
            return .structure([])
        }
        while true {
            guard case .word(let name) = token.kind else { throw expected("a name") }
            guard IDLNames.isField(name) else {
                throw error(
                    .badName, "'\(name)' cannot name a field: letters and digits, with single '_' between them")
            }
            guard !fields.contains(where: { $0.name == name }), !choices.contains(where: { $0.name == name }) else {
                throw error(.duplicate, "'\(name)' is in this list twice")
            }
            let documentation = token.documentation
            try advance()
            if token.kind == .colon, choices.isEmpty {
                try advance()
                fields.append(VarlinkField(name, try parseType(), documentation: documentation))
            } else {
                guard fields.isEmpty else { throw expected("':' and a type") }
                guard token.kind == .comma || token.kind == .close else {
                    throw expected(choices.isEmpty ? "':', ',' or ')'" : "',' or ')'")
                }
                choices.append(VarlinkChoice(name, documentation: documentation))
            }
            if token.kind == .close { break }
            guard token.kind == .comma else { throw expected("',' or ')'") }
            try advance()
        }
        try advance()
        return choices.isEmpty ? .structure(fields) : .enumeration(choices)
    }

    // MARK: Tokens

    private mutating func advance() throws(IDLError) { token = try lexer.next() }

    private func error(_ code: IDLError.Code, _ message: String) -> IDLError {
        IDLError(code: code, line: token.line, column: token.column, message: message)
    }

    private func expected(_ what: String) -> IDLError { error(.syntax, "expected \(what), found \(token.text)") }
}
