/// A method that an interface declares.
package struct VarlinkMethod: Sendable, Equatable {
    /// The name without the interface.
    package let name: String
    /// The comment directly above the declaration, without its `#`.
    package let documentation: String
    /// The parameters of a call.
    package let parameters: [VarlinkField]
    /// The parameters of a reply.
    package let reply: [VarlinkField]
}

/// A type that an interface declares.
package struct VarlinkTypeDeclaration: Sendable, Equatable {
    /// The name that other types refer to.
    package let name: String
    /// The comment directly above the declaration, without its `#`.
    package let documentation: String
    /// The type: a structure or an enumeration.
    package let type: VarlinkType
}

/// An error that an interface declares.
package struct VarlinkErrorDeclaration: Sendable, Equatable {
    /// The name without the interface.
    package let name: String
    /// The comment directly above the declaration, without its `#`.
    package let documentation: String
    /// The parameters of the error.
    package let parameters: [VarlinkField]
}

/// One declaration of an interface, in the order of the text.
package enum VarlinkMember: Sendable, Equatable {
    /// A declared type.
    case type(VarlinkTypeDeclaration)
    /// A method.
    case method(VarlinkMethod)
    /// An error.
    case error(VarlinkErrorDeclaration)

    /// The name without the interface.
    package var name: String {
        switch self {
        case .type(let declaration): declaration.name
        case .method(let method): method.name
        case .error(let declaration): declaration.name
        }
    }

    /// The comment directly above the declaration.
    package var documentation: String {
        switch self {
        case .type(let declaration): declaration.documentation
        case .method(let method): method.documentation
        case .error(let declaration): declaration.documentation
        }
    }
}
