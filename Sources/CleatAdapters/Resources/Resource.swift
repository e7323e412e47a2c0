internal import CleatSandbox

/// One object of the system whose state can be captured, changed and restored.
package enum Resource: Hashable, Sendable {
    /// A file by its path; a link at the end of the path is followed, and kept.
    case file(String)
    /// The path of a symbolic link; a link there is not followed, but captured and replaced.
    case link(String)
    /// The first line of a file that begins with a word (`127.0.1.1` of `/etc/hosts`).
    ///
    /// The rest of the file is not managed, and a missing line is not added.
    case line(String, word: String)
    /// A value of the kernel in a file of sysfs or of `/proc/sys`, written in place.
    case attribute(String)
    /// The kernel's host name (`sethostname(2)`).
    case hostName
    /// A network interface of the kernel by its name: link state, MTU, addresses, routes (rtnetlink(7)).
    case interface(String)
    /// A file of the area `documents`, by its path in the area.
    case document(String)

    /// The kind, which is also the prefix of ``text``.
    package var kind: String {
        switch self {
        case .file: "file"
        case .link: "link"
        case .line: "line"
        case .attribute: "attribute"
        case .hostName: "host-name"
        case .interface: "interface"
        case .document: "document"
        }
    }

    /// The path; nil if the resource has none.
    package var path: String? {
        switch self {
        case .file(let path), .link(let path), .attribute(let path), .line(let path, _): path
        case .hostName, .interface, .document: nil
        }
    }

    /// The canonical resource, if the same object of the system has two names.
    var underItsOneName: Resource { self == .attribute("/proc/sys/kernel/hostname") ? .hostName : self }

    /// True if it is a value of the running kernel, which is not available under another root directory.
    package var isKernels: Bool {
        switch self {
        case .file, .link, .line, .document: false
        case .attribute, .hostName, .interface: true
        }
    }

    /// The resource in the store's format, the same in every release: `file:/etc/hostname`.
    package var text: String {
        switch self {
        case .hostName: kind
        case .interface(let name): "\(kind):\(name)"
        case .line(let path, let word): "\(kind):\(word):\(path)"
        case .file(let path), .link(let path), .attribute(let path), .document(let path): "\(kind):\(path)"
        }
    }

    /// Reads ``text``; nil if it is not valid.
    package init?(text: String) {
        if text == Self.hostName.text {
            self = .hostName
            return
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let path = String(text[text.utf8.index(after: colon)...])
        if text[..<colon] == "line" {
            // The word may contain colons, as in addresses; the path begins at the first slash.
            guard let slash = path.utf8.firstIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return nil }
            let end = path.utf8.index(before: slash)
            guard end > path.startIndex, path.utf8[end] == UInt8(ascii: ":") else { return nil }
            self = .line(String(path[slash...]), word: String(path[..<end]))
            return
        }
        if text[..<colon] == "interface" {
            guard !path.isEmpty, !path.utf8.contains(UInt8(ascii: "/")) else { return nil }
            self = .interface(path)
            return
        }
        if text[..<colon] == "document" {
            guard let place = try? SandboxPath(path), !place.isRoot else { return nil }
            self = .document(path)
            return
        }
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        switch text[..<colon] {
        case "file": self = .file(path)
        case "link": self = .link(path)
        case "attribute": self = .attribute(path)
        default: return nil
        }
    }
}

extension Resource: Comparable, CustomStringConvertible {
    /// Orders resources by the bytes of their texts.
    package static func < (left: Resource, right: Resource) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// The name for users: a path, or a description.
    package var description: String {
        switch self {
        case .file(let path), .link(let path), .attribute(let path): path
        case .line(let path, let word): "the line “\(word)” of \(path)"
        case .hostName: "the kernel's host name"
        case .interface(let name): "the interface \(name)"
        case .document(let path): "documents/\(path)"
        }
    }
}
