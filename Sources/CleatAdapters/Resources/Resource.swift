/// One object of the system whose state can be captured, changed and restored.
///
/// The work of each kind is in a type of its own (``ResourceKind``). A new kind is that type, and here its case and its
/// place in ``kinds`` and ``handler``.
package enum Resource: Hashable, Sendable {
    /// A file by its path; a link at the end of the path is followed, and kept.
    case file(String)
    /// The path of a symbolic link; a link there is not followed, but captured and replaced.
    case link(String)
    /// The first line of a file that begins with a word (`127.0.1.1` of `/etc/hosts`).
    ///
    /// The rest of the file is not managed, and a missing line is not added.
    case line(String, word: String)
    /// The lines of a file of ifupdown for one interface, which are made comments (interfaces(5)).
    case stanza(String, interface: String)
    /// A value of the kernel in a file of sysfs or of `/proc/sys`, written in place.
    case attribute(String)
    /// The kernel's host name (`sethostname(2)`).
    case hostName
    /// A network interface of the kernel by its name: link state, MTU, addresses, routes (rtnetlink(7)).
    case interface(String)
    /// A VLAN, bridge or bond of the kernel by its name: its kind and its members (rtnetlink(7)).
    case virtualLink(String)
    /// The country whose rules the radios follow (linux/nl80211.h).
    case regulatoryDomain
    /// A file of the area `documents`, by its path in the area.
    case document(String)
    /// The state of a program that takes part in changes, by the name of its adapter.
    case program(String)

    private static let kinds: [any ResourceKind.Type] = [
        FileResource.self, LinkResource.self, LineResource.self, StanzaResource.self, AttributeResource.self,
        HostNameResource.self, InterfaceResource.self, VirtualLinkResource.self,
        RegulatoryDomainResource.self, DocumentResource.self, ProgramResource.self,
    ]

    /// The type that captures, applies and restores the resource.
    var handler: any ResourceKind {
        switch self {
        case .file(let path): FileResource(path: path)
        case .link(let path): LinkResource(path: path)
        case .line(let path, let word): LineResource(file: path, word: word)
        case .stanza(let path, let interface): StanzaResource(file: path, interface: interface)
        case .attribute(let path): AttributeResource(path: path)
        case .hostName: HostNameResource()
        case .interface(let name): InterfaceResource(name: name)
        case .virtualLink(let name): VirtualLinkResource(name: name)
        case .regulatoryDomain: RegulatoryDomainResource()
        case .document(let path): DocumentResource(path: path)
        case .program(let name): ProgramResource(program: name)
        }
    }

    /// The kind, which is also the prefix of ``text``.
    package var kind: String { type(of: handler).kind }

    /// The path; nil if the resource has none.
    package var path: String? { handler.systemPath }

    /// The canonical resource, if the same object of the system has two names.
    var canonical: Resource { self == .attribute("/proc/sys/kernel/hostname") ? .hostName : self }

    /// True if it is a value of the running kernel, which is not available under another root directory.
    package var isRuntimeState: Bool { handler.isRuntimeState }

    /// True if it is the state of a program.
    package var isProgram: Bool { if case .program = self { true } else { false } }

    /// True if it is a part of a file that is only changed if it is there.
    package var isPartOfFile: Bool {
        switch self {
        case .line, .stanza: true
        default: false
        }
    }

    /// True if it is an interface of the kernel.
    package var isInterface: Bool { if case .interface = self { true } else { false } }

    /// True if it is a VLAN, bridge or bond of the kernel.
    var isVirtualLink: Bool { if case .virtualLink = self { true } else { false } }

    /// The resource in the store's format: `file:/etc/hostname`.
    package var text: String {
        let handler = handler
        return handler.name.map { "\(type(of: handler).kind):\($0)" } ?? type(of: handler).kind
    }

    /// Reads ``text``; nil if it is not valid.
    package init?(text: String) {
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        let word = text[..<(colon ?? text.endIndex)]
        guard let kind = Self.kinds.first(where: { $0.kind == word }),
            let resource = kind.resource(named: colon.map { String(text[text.utf8.index(after: $0)...]) })
        else { return nil }
        self = resource
    }
}

extension Resource: Comparable, CustomStringConvertible {
    /// Orders resources by the bytes of their texts.
    package static func < (left: Resource, right: Resource) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// The name for users: a path, or a description.
    package var description: String { handler.description }
}
