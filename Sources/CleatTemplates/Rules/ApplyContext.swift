package import CleatSettings

/// The context in which the rules of a schema file are read.
package struct ApplyContext: Sendable {
    /// The settings of all schema files.
    package var schema: Schema
    /// Cleat's own directories, in which no rule may write; those of the kernel are always forbidden.
    package var protected: [String]
    /// The directory of `passwd` and `group` in which owners are looked up.
    ///
    /// It is nil if the board's own files are not available; then every name is accepted.
    package var users: String?
    /// Reads a template next to the schema file by its name; throws if it is missing or not trusted.
    package var template: @Sendable (String) throws(ApplyTemplateError) -> [UInt8]

    /// The directories that Cleat reserves for itself if it is installed for the whole system.
    package static let installed =
        ["/var/lib/cleat", "/run/cleat", "/etc/cleat"]
        + ["schema.d", "defaults.d", "locks.d"].map { "/usr/lib/cleat/" + $0 }

    /// Creates a context.
    package init(
        schema: Schema, protected: [String], users: String? = "/etc",
        template: @escaping @Sendable (String) throws(ApplyTemplateError) -> [UInt8]
    ) {
        self.schema = schema
        self.protected = protected
        self.users = users
        self.template = template
    }

    /// The directories of the kernel, and Cleat's runtime directory.
    private static let kernels = ["/proc", "/sys", "/dev", "/run/cleat", "/var/run/cleat"]

    /// Returns the forbidden directory that a path is in; nil if rules may write there.
    func forbidden(_ path: String) -> String? {
        func isInside(_ directory: String) -> Bool {
            let slash = UInt8(ascii: "/")
            let isOpen = directory.utf8.last == slash
            let directory = isOpen ? String(decoding: directory.utf8.dropLast(), as: UTF8.self) : directory
            guard ByteOrder.starts(path, with: directory) else { return false }
            let rest = path.utf8.dropFirst(directory.utf8.count)
            return rest.isEmpty || rest.first == slash
        }
        return Self.kernels.first(where: isInside) ?? protected.first(where: isInside)
    }
}

/// An error that a template next to a schema file cannot be read.
package struct ApplyTemplateError: Error, Hashable, Sendable {
    /// The error and the remedy.
    package let message: String

    /// Creates an error from its message.
    package init(_ message: String) { self.message = message }
}
