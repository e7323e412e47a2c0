internal import CleatSandbox

/// Names one thing of the system whose state can be captured, changed and brought back.
package enum Resource: Hashable, Sendable {
    /// A file, by the path that the system knows it by; a link at its end is followed, and stays.
    case file(String)
    /// A name that a symbolic link shall stand at; a link there is not followed, it is what is captured and replaced.
    case link(String)
    /// The first line of a file that begins with a word (`127.0.1.1` of `/etc/hosts`), where there is one: the rest of the
    /// file is others', and where there is no such line none is made.
    case line(String, word: String)
    /// A value of the kernel's that is a file of sysfs or of `/proc/sys`, written in place.
    case attribute(String)
    /// The kernel's host name (`sethostname(2)`).
    case hostName
    /// A network interface of the kernel's by its name: up or down, MTU, addresses, routes (rtnetlink(7)).
    case interface(String)
    /// A file of the area `documents`, by its path there.
    case document(String)

    /// The kind, as it begins the text.
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

    /// The path; nil where it has none.
    package var path: String? {
        switch self {
        case .file(let path), .link(let path), .attribute(let path), .line(let path, _): path
        case .hostName, .interface, .document: nil
        }
    }

    /// The resource that stands for the same thing of the system's, where that can be reached in two ways.
    var underItsOneName: Resource { self == .attribute("/proc/sys/kernel/hostname") ? .hostName : self }

    /// Whether it is a value of the running kernel, which is not there under another root directory.
    package var isKernels: Bool {
        switch self {
        case .file, .link, .line, .document: false
        case .attribute, .hostName, .interface: true
        }
    }

    /// The resource as the store keeps it, the same in every release: `file:/etc/hostname`.
    package var text: String {
        switch self {
        case .hostName: kind
        case .interface(let name): "\(kind):\(name)"
        case .line(let path, let word): "\(kind):\(word):\(path)"
        case .file(let path), .link(let path), .attribute(let path), .document(let path): "\(kind):\(path)"
        }
    }

    /// Reads ``text``; nil where it is none.
    package init?(text: String) {
        if text == Self.hostName.text {
            self = .hostName
            return
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let path = String(text[text.utf8.index(after: colon)...])
        if text[..<colon] == "line" {
            // The word may hold colons, as addresses do; the path begins with the first slash.
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

    /// What people call it: its path.
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
