/// The address of a Unix socket: a path, or `@name` in the abstract namespace.
package struct UnixAddress: Sendable, Hashable, CustomStringConvertible {
    /// The longest path that a socket can be bound to, in bytes.
    package static var pathLimit: Int { Kernel.unixPathLimit }

    /// The path, or `@` and the abstract name.
    package let path: String

    /// Makes an address.
    ///
    /// - Throws: ``SocketError`` if the path is empty, holds a NUL or is longer than ``pathLimit``.
    package init(_ path: String) throws(SocketError) {
        if path.isEmpty || path.utf8.contains(0) { throw SocketError(.invalidPath, path: path) }
        if path.utf8.count > Self.pathLimit { throw SocketError(.pathTooLong, path: path) }
        self.path = path
    }

    /// True if the address is in the abstract namespace, which has no files, owners or modes.
    package var isAbstract: Bool { path.utf8.first == UInt8(ascii: "@") }

    /// The path.
    package var description: String { path }
}
