/// A Varlink interface: its declarations, and the check of parameters against them.
package struct InterfaceDescription: Sendable {
    /// The interface's name: `org.varlink.service`.
    package let name: String
    /// The comment above the interface, without its `#`.
    package let documentation: String
    /// The original text, which `GetInterfaceDescription` returns.
    package let text: String
    /// All declarations in the order of the text.
    package let members: [VarlinkMember]
    /// The methods by name.
    package let methods: [String: VarlinkMethod]
    /// The declared types by name.
    package let types: [String: VarlinkType]
    /// The errors by name.
    package let errors: [String: VarlinkErrorDeclaration]

    /// Parses a description in the Varlink interface definition language.
    package init(_ idl: String) throws(IDLError) {
        let parser = try IDLParser(idl)
        name = parser.name
        documentation = parser.documentation
        text = idl
        members = parser.members
        var methods: [String: VarlinkMethod] = [:]
        var types: [String: VarlinkType] = [:]
        var errors: [String: VarlinkErrorDeclaration] = [:]
        for member in parser.members {
            switch member {
            case .method(let method): methods[method.name] = method
            case .type(let declaration): types[declaration.name] = declaration.type
            case .error(let declaration): errors[declaration.name] = declaration
            }
        }
        self.methods = methods
        self.types = types
        self.errors = errors
    }

    /// Parses a description that is a constant of the program.
    ///
    /// A mistake traps with line and column; every such text has a test that parses it.
    package init(constant idl: String) {
        do throws(IDLError) {
            try self.init(idl)
        } catch {
            preconditionFailure("interface description: \(error)")
        }
    }

    /// The declarations in the canonical format of this package, for comparison and display.
    package var formatted: String { IDLWriter(self).text }

    /// The declarations in the canonical format, without the comments of fields and choices.
    package var outline: String { IDLWriter(self, omitsInnerComments: true).text }
}
