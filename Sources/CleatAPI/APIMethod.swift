/// A method of an interface of the service: its name, its access class, its parameters and its reply.
package protocol APIMethod: Sendable {
    /// The parameters of a call.
    associatedtype Parameters: WireValue = EmptyValue
    /// The reply to a call.
    associatedtype Reply: WireValue = EmptyValue
    /// The fully qualified name: `dev.cleat.Settings.Get`.
    static var name: String { get }
    /// The access class, which decides who may call the method.
    static var access: MethodAccess { get }
}

/// The access class of a method, from the least to the most powerful.
package enum MethodAccess: Sendable, CaseIterable {
    /// Proving an identity: every client that can connect.
    case anyone
    /// Reading settings, history, events, devices, hooks, files and status.
    case read
    /// Changing settings and files.
    case write
    /// Making the service run a program, such as a hook on demand; and reading the contents of system files from
    /// snapshots or writing them there.
    case execute
}

/// An interface of the service.
package protocol APIInterface: Sendable {
    /// The interface's name on the wire: `dev.cleat.Settings`.
    static var name: String { get }
    /// The methods, in the order of the description.
    static var methods: [any APIMethod.Type] { get }
    /// The description of the interface in the Varlink IDL, as clients get it: without annotations, and without comments
    /// on members.
    static var idl: String { get }
}

/// The interfaces of the service.
package enum APIInterfaces {}
