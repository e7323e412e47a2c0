package import CleatSettings

/// What the rules of a schema file are read against.
package struct ApplyContext: Sendable {
    /// The settings that there are, those of all files.
    package var schema: Schema
    /// Directories in which no rule may write, beside those of the kernel: Cleat's own.
    package var protected: [String]
    /// The directory of `passwd` and `group` in which owners are looked up; nil where the board's are not at hand, and every
    /// name is taken.
    package var users: String?
    /// Reads a template that stands beside the schema file, by its name; it throws why it is not believed or not there.
    package var template: @Sendable (String) throws(ApplyTemplateError) -> [UInt8]

    /// The directories that Cleat keeps for itself where it is installed for the whole system.
    package static let installed =
        ["/var/lib/cleat", "/run/cleat", "/etc/cleat"]
        + ["schema.d", "defaults.d", "locks.d"].map { "/usr/lib/cleat/" + $0 }

    /// Takes all of it.
    package init(
        schema: Schema, protected: [String], users: String? = "/etc",
        template: @escaping @Sendable (String) throws(ApplyTemplateError) -> [UInt8]
    ) {
        self.schema = schema
        self.protected = protected
        self.users = users
        self.template = template
    }

    /// The directories of the kernel, and of what Cleat has while it runs.
    private static let kernels = ["/proc", "/sys", "/dev", "/run/cleat", "/var/run/cleat"]

    /// The directory in which the path stands and in which no rule may write; nil where it may be written.
    func forbidden(_ path: String) -> String? {
        (Self.kernels + protected).first { directory in
            let directory = directory.utf8.last == UInt8(ascii: "/") ? String(directory.dropLast()) : directory
            return path.utf8.elementsEqual(directory.utf8) || path.utf8.starts(with: (directory + "/").utf8)
        }
    }
}

/// Says why a template beside a schema file cannot be read.
package struct ApplyTemplateError: Error, Hashable, Sendable {
    /// What is wrong and what to do.
    package let message: String

    /// Takes the message.
    package init(_ message: String) { self.message = message }
}
