/// A name in a directory, which need not be UTF-8.
package struct FileName: Sendable, Hashable {
    /// The bytes of the name, followed by a NUL.
    let terminated: [UInt8]

    /// Makes a name from bytes, none of which is NUL.
    package init(bytes: some Sequence<UInt8>) { terminated = Array(bytes) + [0] }

    /// Makes a name from a text.
    package init(_ text: String) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 1)
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
        terminated = bytes
    }

    /// The name of the directory itself (`.`).
    static let itself = FileName(".")

    /// The bytes of the name.
    package var bytes: ArraySlice<UInt8> { terminated.dropLast() }

    /// The name as text; nil if it is not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// True if it is a name of the facade's own files.
    package var isReserved: Bool { terminated.starts(with: SandboxPath.reservedPrefix.utf8) }
}
