/// A name as a directory holds it, which need not be UTF-8.
package struct FileName: Sendable, Hashable {
    /// The bytes of the name, and a NUL after them.
    let terminated: [UInt8]

    /// Takes bytes, of which none is NUL.
    package init(bytes: some Sequence<UInt8>) { terminated = Array(bytes) + [0] }

    /// Takes a text.
    package init(_ text: String) { self.init(bytes: text.utf8) }

    /// The directory itself.
    static let itself = FileName(".")

    /// The bytes of the name.
    package var bytes: ArraySlice<UInt8> { terminated.dropLast() }

    /// The name as text; nil where it is not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// Whether it belongs to the facade's own files.
    package var isReserved: Bool { terminated.starts(with: SandboxPath.reservedPrefix.utf8) }

    /// Whether it is that of a durable write's temporary file.
    package var isTemporary: Bool { terminated.starts(with: DurableFile.temporaryPrefix.utf8) }
}
