package import CleatJSON

/// An error as it goes over the wire: a fully qualified name, and parameters.
package struct VarlinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name with its interface: `org.varlink.service.MethodNotFound`.
    package let name: String
    /// What the interface declares for this error.
    package let parameters: JSONObject

    /// Makes an error.
    package init(_ name: String, _ parameters: JSONObject = JSONObject()) {
        self.name = name
        self.parameters = parameters
    }

    /// The interface that declares the error: the name up to its last dot.
    package var interface: String { QualifiedName(name)?.interface ?? "" }

    /// The name without its interface.
    package var shortName: String { QualifiedName(name)?.member ?? name }

    /// Names the error and what it is about.
    package var description: String {
        if let message = parameters["message"]?.stringValue { return "\(shortName): \(message)" }
        guard !parameters.isEmpty else { return name }
        return "\(name) \(JSONValue.object(parameters).canonicalText)"
    }
}

extension VarlinkError {
    /// Says that the service has no such interface.
    package static func interfaceNotFound(_ interface: String) -> VarlinkError {
        VarlinkError("org.varlink.service.InterfaceNotFound", ["interface": .string(interface)])
    }

    /// Says that the interface has no such method.
    package static func methodNotFound(_ method: String) -> VarlinkError {
        VarlinkError("org.varlink.service.MethodNotFound", ["method": .string(method)])
    }

    /// Says that the interface has the method but the service does not answer it.
    package static func methodNotImplemented(_ method: String) -> VarlinkError {
        VarlinkError("org.varlink.service.MethodNotImplemented", ["method": .string(method)])
    }

    /// Says which parameter was unknown, missing or of a wrong type: `changes[3].path`.
    package static func invalidParameter(_ parameter: String) -> VarlinkError {
        VarlinkError("org.varlink.service.InvalidParameter", ["parameter": .string(parameter)])
    }
}
