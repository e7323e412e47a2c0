import CleatVarlink

/// An interface description as Swift declarations.
struct InterfaceModel {
    /// The interface's name on the wire: `dev.cleat.Settings`.
    let name: String
    /// The name of the Swift enumeration that holds the interface: `SettingsInterface`.
    let swiftName: String
    let prose: String
    /// True if the service implements the interface, false if programs do.
    let isOfService: Bool
    private(set) var enumerations: [Enumeration] = []
    private(set) var structures: [Structure] = []
    /// Structures for the parameters or the replies of several methods, in the order of their first use.
    private(set) var shared: [SharedStructure] = []
    private(set) var methods: [Method] = []
    /// Declarations that exist in Swift: they must agree with the declaration that the Swift type is written from.
    private(set) var borrowed: [Borrowed] = []
    /// The modules of existing Swift types.
    private(set) var imports: Set<String> = []
    /// The text for clients: without annotations, and without comments on members.
    let text: String

    /// A type of this interface that uses an existing Swift type.
    enum Borrowed {
        case structure(Structure, subject: String)
        case choices([String], type: String, subject: String)
    }

    /// The parameters or the replies of several methods.
    struct SharedStructure {
        fileprivate(set) var structure: Structure
        /// `parameters` or `reply`.
        let role: String
        fileprivate(set) var methods: [String]

        /// The structure with a comment that names the methods.
        var documented: Structure {
            let names = methods.map { "``\($0)``" }
            let list = names.dropLast().joined(separator: ", ") + (names.count > 1 ? " and " : "") + (names.last ?? "")
            let start = role == "reply" ? "The reply to" : "The parameters of"
            return Structure(name: structure.name, prose: "\(start) \(list).", members: structure.members)
        }
    }

    private let label: String
    private let types: [String: VarlinkType]
    /// The Swift names of the declared types.
    private var swiftNames: [String: String] = [:]

    /// Reads the declarations of an interface.
    init(_ description: InterfaceDescription) throws(GeneratorError) {
        name = description.name
        label = description.name.split(separator: ".").last.map(String.init) ?? description.name
        swiftName = label + "Interface"
        types = description.types
        text = Self.withoutAnnotations(description.outline)
        let head = try Annotations(description.documentation, of: description.name)
        try head.allow([.by], of: description.name)
        guard head[.by] == nil || head[.by] == "programs" else {
            throw GeneratorError(description.name, "the annotation 'by' has the value 'programs', or is omitted")
        }
        isOfService = head[.by] == nil
        prose = head.prose
        for case .type(let type) in description.members {
            let notes = try Annotations(type.documentation, of: subject(type.name))
            try notes.allow([.name, .swift, .import], of: subject(type.name))
            if let module = notes[.import] { imports.insert(module) }
            swiftNames[type.name] = notes[.swift] ?? notes[.name] ?? type.name
        }
        for member in description.members {
            switch member {
            case .type(let type): try add(type)
            case .method(let method): try add(method)
            case .error(let error):
                try Annotations(error.documentation, of: subject(error.name)).allow([], of: error.name)
            }
        }
    }

    private func subject(_ parts: String...) -> String { ([label] + parts).joined(separator: ".") }

    private static func withoutAnnotations(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !line.hasPrefix("# ") || Annotations.pair(line.dropFirst(2)) == nil
        }.joined(separator: "\n")
    }

    // MARK: Declarations

    private mutating func add(_ type: VarlinkTypeDeclaration) throws(GeneratorError) {
        let subject = subject(type.name)
        let notes = try Annotations(type.documentation, of: subject)
        let swiftName = swiftNames[type.name] ?? type.name
        switch type.type {
        case .enumeration(let choices) where notes[.swift] != nil:
            borrowed.append(.choices(choices.map(\.name), type: swiftName, subject: subject))
        case .enumeration(let choices):
            enumerations.append(try enumeration(swiftName, notes.prose, choices, subject))
        case .structure(let fields):
            let isBorrowed = notes[.swift] != nil
            let value = try structure(swiftName, notes.prose, fields, subject, isBorrowed: isBorrowed)
            if isBorrowed { borrowed.append(.structure(value, subject: subject)) } else { structures.append(value) }
        default: throw GeneratorError(subject, "a declared type is a structure or an enumeration")
        }
    }

    private mutating func add(_ method: VarlinkMethod) throws(GeneratorError) {
        let subject = subject(method.name)
        let notes = try Annotations(method.documentation, of: subject)
        try notes.allow([.access, .parameters, .reply], of: subject)
        guard let access = notes[.access] else {
            throw GeneratorError(subject, "the comment has no line '# access: read', 'write', 'execute' or 'anyone'")
        }
        guard ["read", "write", "execute", "anyone"].contains(access) else {
            throw GeneratorError(subject, "the access '\(access)' is none of read, write, execute and anyone")
        }
        let parameters = try part(
            "Parameters", "The parameters of a call.", notes[.parameters], method.parameters, subject, of: method.name)
        let reply = try part("Reply", "The reply to a call.", notes[.reply], method.reply, subject, of: method.name)
        methods.append(
            Method(name: method.name, prose: notes.prose, access: access, parameters: parameters, reply: reply))
    }

    private mutating func part(
        _ name: String, _ prose: String, _ sharedName: String?, _ fields: [VarlinkField], _ subject: String,
        of method: String
    ) throws(GeneratorError) -> Method.Part {
        guard let sharedName else {
            return fields.isEmpty ? .none : .own(try structure(name, prose, fields, subject))
        }
        guard let index = shared.firstIndex(where: { $0.structure.name == sharedName }) else {
            let hasComments = fields.contains { !$0.documentation.isEmpty }
            let value = try structure(sharedName, prose, fields, subject, isBorrowed: !hasComments)
            shared.append(SharedStructure(structure: value, role: name.lowercased(), methods: [method]))
            return .shared(sharedName)
        }
        // The one with the most members has the comments.
        let former = shared[index].structure
        let isLarger = former.members.count < fields.count
        let value = try structure(sharedName, prose, fields, subject, isBorrowed: !isLarger)
        let (large, small) = isLarger ? (value, former) : (former, value)
        guard large.includes(small) else {
            throw GeneratorError(subject, "the members of '\(sharedName)' are not those of the other methods")
        }
        shared[index].structure = large
        shared[index].methods.append(method)
        return .shared(sharedName)
    }

    // MARK: Types

    private mutating func structure(
        _ name: String, _ prose: String, _ fields: [VarlinkField], _ subject: String, isBorrowed: Bool = false
    ) throws(GeneratorError) -> Structure {
        guard !prose.isEmpty else { throw GeneratorError(subject, "the declaration has no comment") }
        var members: [Member] = []
        for field in fields {
            members.append(try member(field, of: name, "\(subject).\(field.name)", isBorrowed: isBorrowed))
        }
        return Structure(name: name, prose: prose, members: members)
    }

    private func enumeration(
        _ name: String, _ prose: String, _ choices: [VarlinkChoice], _ subject: String
    ) throws(GeneratorError) -> Enumeration {
        for choice in choices where choice.documentation.isEmpty {
            throw GeneratorError("\(subject).\(choice.name)", "the choice has no comment")
        }
        return Enumeration(name: name, prose: prose, choices: choices.map { ($0.name, $0.documentation) })
    }

    private mutating func member(
        _ field: VarlinkField, of owner: String, _ subject: String, isBorrowed: Bool
    ) throws(GeneratorError) -> Member {
        let notes = try Annotations(field.documentation, of: subject)
        try notes.allow([.name, .swift, .enum, .default, .range], of: subject)
        guard isBorrowed || !notes.prose.isEmpty else { throw GeneratorError(subject, "the member has no comment") }
        var type = field.type
        var isOptional = false
        if case .optional(let wrapped) = type { (type, isOptional) = (wrapped, true) }
        var choices: Enumeration?
        let memberType: MemberType
        if case .enumeration(let strings) = type {
            let name = notes[.swift] ?? notes[.enum] ?? SwiftName.capitalised(field.name)
            memberType = .choice(name)
            if notes[.swift] != nil || isBorrowed {
                let type = notes[.swift] ?? "\(owner).\(name)"
                borrowed.append(.choices(strings.map(\.name), type: type, subject: subject))
            } else {
                choices = try enumeration(name, notes.prose, strings, subject)
            }
        } else {
            memberType = try self.type(type, integer: notes[.swift], isBorrowed: isBorrowed, subject)
        }
        return Member(
            wireName: field.name, name: notes[.name] ?? SwiftName.camelCase(field.name), type: memberType,
            isOptional: isOptional, prose: notes.prose, defaultValue: notes[.default] ?? (isOptional ? "nil" : nil),
            range: try notes[.range].map { text throws(GeneratorError) in try range(text, memberType, subject) },
            choices: choices)
    }

    private func type(
        _ type: VarlinkType, integer: String?, isBorrowed: Bool, _ subject: String
    ) throws(GeneratorError) -> MemberType {
        switch type {
        case .string: return .text
        case .bool: return .flag
        case .object: return .value
        case .int where integer == "Int": return .int
        case .int where integer == nil: return .int64
        case .array(.string): return .texts
        case .dictionary(.string): return .properties
        case .named(let name):
            let swift = swiftNames[name] ?? name
            if case .enumeration = types[name] { return .choice(swift) }
            return .structure(swift)
        case .array(.named(let name)): return .list(swiftNames[name] ?? name)
        default: throw GeneratorError(subject, "the generator has no Swift type for this type")
        }
    }

    private func range(_ text: String, _ type: MemberType, _ subject: String) throws(GeneratorError) -> String {
        guard type == .int || type == .int64 else { throw GeneratorError(subject, "only an integer has a range") }
        let ends = text.split(separator: "...", omittingEmptySubsequences: false)
        guard ends.count == 2, let lower = Int64(ends[0]),
            ends[1].isEmpty || Int64(ends[1]).map({ $0 >= lower }) == true
        else { throw GeneratorError(subject, "the range '\(text)' is not like '0...' or '1...64'") }
        return ends[1].isEmpty ? "in: \(lower) ... .max" : "in: \(lower)...\(ends[1])"
    }
}
