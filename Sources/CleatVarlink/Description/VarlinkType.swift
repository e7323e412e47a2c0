/// A type of the Varlink interface definition language.
package indirect enum VarlinkType: Sendable, Equatable {
    /// True or false.
    case bool
    /// A 64-bit signed integer.
    case int
    /// Any number.
    case float
    /// A string.
    case string
    /// Any JSON value, null included.
    case object
    /// A type that the interface declares under this name.
    case named(String)
    /// An object with exactly these members.
    case structure([VarlinkField])
    /// One of these strings.
    case enumeration([VarlinkChoice])
    /// An array with elements of one type.
    case array(VarlinkType)
    /// An object with any keys, and values of one type.
    case dictionary(VarlinkType)
    /// The type, or null, or no member at all.
    case optional(VarlinkType)

    /// True if a member of this type may be omitted.
    package var isOptional: Bool {
        if case .optional = self { return true }
        return false
    }
}

/// A named member of a structure, of a method's parameters or of its reply.
package struct VarlinkField: Sendable, Equatable {
    /// The member's name.
    package let name: String
    /// The member's type.
    package let type: VarlinkType
    /// The comment directly above the member, without its `#`.
    package let documentation: String

    /// Creates a field.
    package init(_ name: String, _ type: VarlinkType, documentation: String = "") {
        self.name = name
        self.type = type
        self.documentation = documentation
    }
}

/// One of the strings of an enumeration.
package struct VarlinkChoice: Sendable, Equatable {
    /// The string.
    package let name: String
    /// The comment directly above the choice, without its `#`.
    package let documentation: String

    /// Creates a choice.
    package init(_ name: String, documentation: String = "") {
        self.name = name
        self.documentation = documentation
    }
}
