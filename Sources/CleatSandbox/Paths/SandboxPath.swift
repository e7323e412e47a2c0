package import SystemPackage

/// The path of a file or directory in an area: a relative path that has been validated as text.
///
/// It has at most 16 names of 1 to 255 bytes, at most 1,024 bytes in all, valid UTF-8, no control characters, no name
/// `.` or `..`, no leading, trailing or doubled slash, and no name that begins with `.cleat-`, which is reserved for
/// the facade's own files. Links in the path are detected when it is opened, not here.
package struct SandboxPath: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The most names of a path.
    package static let namesLimit = 16
    /// The most bytes of a name.
    package static let nameLimit = 255
    /// The most bytes of a path.
    package static let bytesLimit = 1024
    /// The prefix of names that are reserved for the facade's own files.
    package static let reservedPrefix = ".cleat-"

    /// The path of the area's own directory.
    package static let root = SandboxPath(checked: "")

    /// The path as text; empty for the area's own directory.
    package let text: String

    private init(checked text: String) { self.text = text }

    /// Validates a path as text; an empty text is the area's own directory.
    ///
    /// - Throws: `badPath` with the fault.
    package init(_ text: String) throws(SandboxError) {
        var text = text
        text.makeContiguousUTF8()
        guard let fault = text.withUTF8({ PathFault.find(in: $0) }) else {
            self.text = text
            return
        }
        throw SandboxError(badPath: text, fault)
    }

    /// Validates a path as bytes, which come from outside and need not be UTF-8.
    ///
    /// - Throws: `badPath` with the fault.
    package init(bytes: some Sequence<UInt8>) throws(SandboxError) {
        let bytes = Array(bytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SandboxError(badPath: String(decoding: bytes, as: UTF8.self), .notUTF8)
        }
        try self.init(text)
    }

    /// Validates a relative file path; `FilePath` has already removed doubled and trailing slashes.
    ///
    /// - Throws: `badPath` with the fault.
    package init(_ path: FilePath) throws(SandboxError) {
        let bytes = unsafe path.withPlatformString { start in
            var bytes: [UInt8] = []
            var next = unsafe start
            while unsafe next.pointee != 0 {
                unsafe bytes.append(UInt8(bitPattern: next.pointee))
                unsafe next += 1
            }
            return bytes
        }
        try self.init(bytes: bytes)
    }

    /// True if it is the area's own directory.
    package var isRoot: Bool { text.isEmpty }

    /// The names from the area down.
    package var names: [String] { isRoot ? [] : text.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" } }

    /// The number of names.
    package var depth: Int { isRoot ? 0 : 1 + text.utf8.reduce(0) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 } }

    /// The parent directory; the area's own directory is its own parent.
    package var parent: SandboxPath {
        guard let slash = lastSlash else { return .root }
        return SandboxPath(checked: String(text[..<slash]))
    }

    /// The place of the last slash; found in the buffer of the text, which is faster than in the text.
    private var lastSlash: String.Index? {
        let slash = UInt8(ascii: "/")
        let place = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe $0.lastIndex(of: slash) }
        guard let place else { return text.utf8.lastIndex(of: slash) }
        return place.map { text.utf8.index(text.startIndex, offsetBy: $0) }
    }

    /// The last name; nil for the area's own directory.
    package var name: String? {
        guard !isRoot else { return nil }
        guard let slash = lastSlash else { return text }
        return String(text[text.utf8.index(after: slash)...])
    }

    /// Returns the path of a name in this directory.
    ///
    /// - Throws: `badPath` if the name is not valid or the path is too long.
    package func appending(_ name: String) throws(SandboxError) -> SandboxPath {
        guard !name.isEmpty else { throw SandboxError(badPath: text + "/", .emptyName) }
        return try SandboxPath(isRoot ? name : text + "/" + name)
    }

    /// Returns the path of one of the facade's own files in this directory.
    func appendingReserved(_ name: String) -> SandboxPath { SandboxPath(checked: isRoot ? name : text + "/" + name) }

    /// Returns the path with the extension of its last name replaced or removed; a leading dot starts no extension.
    ///
    /// - Throws: `badPath` if the new name is not valid.
    package func withExtension(_ fileExtension: String?) throws(SandboxError) -> SandboxPath {
        guard let name else { throw SandboxError(badPath: text, .emptyName) }
        var stem = name[...]
        if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.utf8.startIndex { stem = name[..<dot] }
        guard let fileExtension, !fileExtension.isEmpty else { return try parent.appending(String(stem)) }
        guard !fileExtension.utf8.contains(UInt8(ascii: "/")) else {
            throw SandboxError(badPath: name + "." + fileExtension, .slash)
        }
        return try parent.appending(stem + "." + fileExtension)
    }

    /// Returns true if it is `directory`, or in it at any depth.
    package func isWithin(_ directory: SandboxPath) -> Bool {
        directory.isRoot || self == directory || text.utf8.starts(with: (directory.text + "/").utf8)
    }

    /// Returns true if the first path sorts before the second one by bytes.
    package static func < (left: SandboxPath, right: SandboxPath) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Returns true if the bytes of two paths are equal.
    package static func == (left: SandboxPath, right: SandboxPath) -> Bool {
        let (left, right) = (left.text.utf8, right.text.utf8)
        guard left.count == right.count else { return false }
        // The bytes of buffers are compared much faster than those of texts.
        let isSame = unsafe left.withContiguousStorageIfAvailable { left in
            unsafe right.withContiguousStorageIfAvailable { right in
                left.indices.allSatisfy { unsafe left[$0] == right[$0] }
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }

    /// Hashes the bytes of the path.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// The path as text.
    package var description: String { text }
}

/// One of the four directories of the file facade.
package enum Area: String, CaseIterable, Sendable, Hashable, CustomStringConvertible {
    /// Files that programs and people keep.
    case documents
    /// Files that arrive from elsewhere, for a hook to process.
    case inbox
    /// Files that programs need and people need not see.
    case library
    /// Files that may be gone after the next start.
    case temporary

    /// The area's name.
    package var description: String { rawValue }
}
