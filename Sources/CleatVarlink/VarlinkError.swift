package import CleatJSON

/// An error as it is sent over the wire: a fully qualified name, and parameters.
package struct VarlinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name with its interface: `org.varlink.service.MethodNotFound`.
    package let name: String
    /// The error's parameters, as the interface declares them.
    package let parameters: JSONObject

    /// Creates an error.
    package init(_ name: String, _ parameters: JSONObject = JSONObject()) {
        self.name = name
        self.parameters = parameters
    }

    /// The interface that declares the error: the name up to its last dot.
    package var interface: String { QualifiedName(name)?.interface ?? "" }

    /// The name without its interface.
    package var shortName: String { QualifiedName(name)?.member ?? name }

    /// The error's name with its message, or with its parameters.
    package var description: String {
        if let message = parameters["message"]?.stringValue { return "\(shortName): \(message)" }
        guard !parameters.isEmpty else { return name }
        return "\(name) \(JSONValue.object(parameters).canonicalText)"
    }
}

extension VarlinkError {
    /// Creates the error for an interface that the service does not have.
    package static func interfaceNotFound(_ interface: String) -> VarlinkError {
        VarlinkError("org.varlink.service.InterfaceNotFound", ["interface": .string(interface)])
    }

    /// Creates the error for a method that the interface does not declare.
    package static func methodNotFound(_ method: String) -> VarlinkError {
        VarlinkError("org.varlink.service.MethodNotFound", ["method": .string(method)])
    }

    /// Creates the error for a method that is declared, but that the service does not implement.
    package static func methodNotImplemented(_ method: String) -> VarlinkError {
        VarlinkError("org.varlink.service.MethodNotImplemented", ["method": .string(method)])
    }

    /// Creates the error for a parameter that is unknown, missing or of a wrong type: `changes[3].path`.
    package static func invalidParameter(_ parameter: String) -> VarlinkError {
        VarlinkError("org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
    }
}

/// The name of a method or an error, split at its last dot.
struct QualifiedName: Sendable, Equatable {
    let interface: String
    let member: String

    /// Splits a name; nil if a part is missing.
    init?(_ text: String) {
        guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let after = text.utf8.index(after: dot)
        guard dot > text.utf8.startIndex, after < text.utf8.endIndex else { return nil }
        interface = String(text[..<dot])
        member = String(text[after...])
    }
}
