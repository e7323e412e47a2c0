/// Names one thing of the system whose state can be captured, changed and brought back.
package enum Resource: Hashable, Sendable {
    /// A file, by the path that the system knows it by; a link at its end is followed, and stays.
    case file(String)
    /// A name that a symbolic link shall stand at; a link there is not followed, it is what is captured and replaced.
    case link(String)
    /// A value of the kernel's that is a file of sysfs or of `/proc/sys`, written in place.
    case attribute(String)
    /// The kernel's host name (`sethostname(2)`).
    case hostName

    /// The kind, as it begins the text.
    private var kind: String {
        switch self {
        case .file: "file"
        case .link: "link"
        case .attribute: "attribute"
        case .hostName: "host-name"
        }
    }

    /// The path; nil where it has none.
    package var path: String? {
        switch self {
        case .file(let path), .link(let path), .attribute(let path): path
        case .hostName: nil
        }
    }

    /// Whether it is a value of the running kernel, which is not there under another root directory.
    package var isKernels: Bool {
        switch self {
        case .file, .link: false
        case .attribute, .hostName: true
        }
    }

    /// The resource as the store keeps it, the same in every release: `file:/etc/hostname`.
    package var text: String { path.map { "\(kind):\($0)" } ?? kind }

    /// Reads ``text``; nil where it is none.
    package init?(text: String) {
        if text == Self.hostName.text {
            self = .hostName
            return
        }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let path = String(text[text.utf8.index(after: colon)...])
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
    package var description: String { path ?? "the kernel's host name" }
}
