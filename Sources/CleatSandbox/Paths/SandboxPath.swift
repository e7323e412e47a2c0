package import SystemPackage

/// Names a file or directory in an area: a relative path that has been checked as text.
///
/// It has at most 16 names of 1 to 255 bytes, at most 1,024 bytes in all, valid UTF-8, no control characters, no name `.`
/// or `..`, no leading, trailing or doubled slash, and no name that begins with `.cleat-`, which is kept for the facade's
/// own files. Whether a link stands in its way is seen when it is opened, not here.
package struct SandboxPath: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The most names that a path has.
    package static let namesLimit = 16
    /// The most bytes that a name has.
    package static let nameLimit = 255
    /// The most bytes that a path has.
    package static let bytesLimit = 1024
    /// Begins the names that are kept for the facade's own files.
    package static let reservedPrefix = ".cleat-"

    /// The area's own directory.
    package static let root = SandboxPath(checked: "")

    /// The path as text; empty for the area's own directory.
    package let text: String

    private init(checked text: String) { self.text = text }

    /// Takes a path as text; an empty text is the area's own directory.
    ///
    /// - Throws: `badPath`, saying what is wrong with it.
    package init(_ text: String) throws(SandboxError) {
        var text = text
        text.makeContiguousUTF8()
        guard let fault = text.withUTF8({ PathFault.find(in: $0) }) else {
            self.text = text
            return
        }
        throw SandboxError(badPath: text, fault)
    }

    /// Takes a path as bytes, which come from outside and need not be UTF-8.
    ///
    /// - Throws: `badPath`, saying what is wrong with it.
    package init(bytes: some Sequence<UInt8>) throws(SandboxError) {
        let bytes = Array(bytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SandboxError(badPath: String(decoding: bytes, as: UTF8.self), .notUTF8)
        }
        try self.init(text)
    }

    /// Takes a relative file path; `FilePath` has taken doubled and trailing slashes away already.
    ///
    /// - Throws: `badPath`, saying what is wrong with it.
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

    /// Whether it is the area's own directory.
    package var isRoot: Bool { text.isEmpty }

    /// The names from the area down.
    package var names: [String] { isRoot ? [] : text.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" } }

    /// How many names it has.
    package var depth: Int { isRoot ? 0 : 1 + text.utf8.reduce(0) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 } }

    /// The directory that it is in; the area's own directory is in itself.
    package var parent: SandboxPath {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
        return SandboxPath(checked: String(text[..<slash]))
    }

    /// Its last name; nil for the area's own directory.
    package var name: String? {
        guard !isRoot else { return nil }
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
        return String(text[text.utf8.index(after: slash)...])
    }

    /// Gives the path of something in this directory.
    ///
    /// - Throws: `badPath`, where the name is not one or the whole is too long.
    package func appending(_ name: String) throws(SandboxError) -> SandboxPath {
        guard !name.isEmpty else { throw SandboxError(badPath: text + "/", .emptyName) }
        return try SandboxPath(isRoot ? name : text + "/" + name)
    }

    /// Gives the path of one of the facade's own files in this directory.
    func appendingReserved(_ name: String) -> SandboxPath { SandboxPath(checked: isRoot ? name : text + "/" + name) }

    /// Gives the path with another extension in its last name, or without one; a leading dot begins no extension.
    ///
    /// - Throws: `badPath`, where the new name is not one.
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

    /// Whether it lies in `directory`, at any depth, or is it.
    package func isWithin(_ directory: SandboxPath) -> Bool {
        directory.isRoot || self == directory || text.utf8.starts(with: (directory.text + "/").utf8)
    }

    /// Compares the bytes of two paths.
    package static func < (left: SandboxPath, right: SandboxPath) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Says whether the bytes of two paths are the same.
    package static func == (left: SandboxPath, right: SandboxPath) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Hashes the bytes of the path.
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// The path as text.
    package var description: String { text }
}
