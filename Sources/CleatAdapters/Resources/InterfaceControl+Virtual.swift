internal import CleatIO
internal import SystemPackage

/// Virtual links of the kernel (`RTM_NEWLINK` with `IFLA_LINKINFO`, see rtnetlink(7) and linux/if_link.h).
extension InterfaceControl {
    private enum Attribute {
        static let name: UInt16 = 3
        static let parent: UInt16 = 5
        static let controller: UInt16 = 10
        static let info: UInt16 = 18
        /// Those inside `info`.
        static let (kind, data): (UInt16, UInt16) = (1, 2)
        /// Those inside `data`: of a VLAN, a bridge and a bond.
        static let (number, spanningTree): (UInt16, UInt16) = (1, 5)
        static let (mode, interval): (UInt16, UInt16) = (1, 3)
    }

    /// One interface in the kernel's list of all.
    private struct Listed {
        let index: UInt32
        let name: String
        let parent: UInt32?
        let controller: UInt32?
        /// The link without its members; nil if it is of no known kind.
        let link: VirtualLink?
    }

    private func listed() throws(ResourceError) -> [Listed] {
        var found: [Listed] = []
        let request = RouteRequest(.getLink, body: [UInt8](repeating: 0, count: 16), isDump: true)
        try list(request, "list the interfaces", again: { found = [] }) { object in
            let attributes = RouteAttribute.list(in: object.dropFirst(16))
            guard let index = NativeBytes.number(UInt32.self, in: object, at: 4),
                let name = attributes.value(Attribute.name)
            else { return }
            found.append(
                Listed(
                    index: index, name: Self.text(name), parent: attributes.number(Attribute.parent),
                    controller: attributes.number(Attribute.controller),
                    link: attributes.value(Attribute.info).flatMap(Self.link)))
        }
        return found
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

    private static func link(_ info: [UInt8]) -> VirtualLink? {
        let attributes = RouteAttribute.list(in: info[...])
        guard let kind = attributes.value(Attribute.kind), var link = VirtualLink(type: text(kind)) else { return nil }
        let data = RouteAttribute.list(in: (attributes.value(Attribute.data) ?? [])[...])
        switch link.kind {
        case .vlan:
            let number = data.value(Attribute.number).flatMap { NativeBytes.number(UInt16.self, in: $0[...], at: 0) }
            link.kind = .vlan(number)
        case .bridge: link.kind = .bridge(hasSpanningTree: data.number(Attribute.spanningTree).map { $0 != 0 } ?? false)
        case .bond:
            let mode = data.value(Attribute.mode)?.first.flatMap { BondMode(rawValue: $0) }
            link.kind = .bond(mode ?? .roundRobin)
        }
        return link
    }

    /// Returns the names of all interfaces, and the virtual link of this name with its members; nil if there is none.
    func virtualLink() throws(ResourceError) -> (names: Set<String>, link: VirtualLink?) {
        let all = try listed()
        return (Set(all.map(\.name)), all.first { $0.name == name }.flatMap { Self.link($0, among: all) })
    }

    /// Returns all interfaces by their names, with the virtual link that each is; nil for another one.
    func allLinks() throws(ResourceError) -> [String: VirtualLink?] {
        let all = try listed()
        return Dictionary(all.map { ($0.name, Self.link($0, among: all)) }) { first, _ in first }
    }

    private static func link(_ one: Listed, among all: [Listed]) -> VirtualLink? {
        guard var link = one.link else { return nil }
        link.members =
            link.hasPorts
            ? all.filter { $0.controller == one.index }.map(\.name).sortedByBytes()
            : all.filter { $0.index == one.parent }.map(\.name)
        return link
    }

    /// Makes the virtual link, changes it, or removes it; members that do not exist are omitted.
    ///
    /// - Parameter wanted: the link; nil for none.
    /// - Throws: the failed request, or that an interface of another kind has the name.
    func bring(to wanted: VirtualLink?) throws(ResourceError) {
        var all = try listed()
        var present = all.first { $0.name == name }
        guard let wanted else {
            if let present, present.link != nil { try remove(present) }
            return
        }
        if let found = present {
            guard let link = Self.link(found, among: all) else {
                throw ResourceError(
                    stage, resource,
                    reason: "there is an interface of this name that is no \(wanted.type); rename one of the two")
            }
            if !wanted.succeeds(link) {
                try remove(found)
                present = nil
            } else if link.kind != wanted.kind {
                try ask("change it", request(index: found.index, [Self.info(of: wanted)]))
            }
        }
        if present == nil {
            let controller = all.first { $0.name == name }?.controller
            try make(wanted, among: all)
            all = try listed()
            present = all.first { $0.name == name }
            // It is again the port that it was.
            if let present, let controller {
                try set(controller: controller, of: present, "add it to its bridge or bond")
            }
        }
        guard let present else { throw ResourceError(stage, resource, reason: "the kernel has not made it") }
        if wanted.hasPorts { try bringPorts(of: present, to: wanted, among: all) }
    }

    private func bringPorts(of controller: Listed, to wanted: VirtualLink, among all: [Listed]) throws(ResourceError) {
        for port in all where port.controller == controller.index && !wanted.members.contains(port.name) {
            // A bond switches it off, and it loses its routes.
            let control = InterfaceControl(kernel: kernel, name: port.name, stage: stage)
            let former = try control.look()
            try set(controller: 0, of: port, "release the port \(port.name)")
            guard let former, let found = try control.look() else { continue }
            try control.bring(to: former.snapshot, from: found, isExact: true)
        }
        for port in all where port.controller != controller.index && wanted.members.contains(port.name) {
            // A bond accepts no interface that is switched on.
            if wanted.type == "bond" { try set(isUp: false, port.index) }
            try set(controller: controller.index, of: port, "add the port \(port.name)")
        }
    }

    private func set(controller: UInt32, of port: Listed, _ what: String) throws(ResourceError) {
        let attribute = RouteAttribute(Attribute.controller, NativeBytes.bytes(controller))
        try ask(what, request(index: port.index, [attribute]))
    }

    private func remove(_ link: Listed) throws(ResourceError) {
        try ask("remove it", request(.removeLink, index: link.index), besides: [Self.noSuchDevice])
    }

    private func make(_ link: VirtualLink, among all: [Listed]) throws(ResourceError) {
        var attributes = [RouteAttribute(Attribute.name, Array(name.utf8) + [0]), Self.info(of: link)]
        if !link.hasPorts {
            guard let parent = all.first(where: { link.members.contains($0.name) }) else {
                throw ResourceError(stage, resource, reason: "its parent does not exist")
            }
            attributes.append(RouteAttribute(Attribute.parent, NativeBytes.bytes(parent.index)))
        }
        let what = "make the \(link.type)"
        let request = request(index: 0, attributes, isNew: true)
        guard let refusal = try self.refusal(what, request) else { return }
        if refusal.errno == .notSupported {
            throw ResourceError(
                stage, resource, errno: refusal.errno,
                reason: "this kernel makes no \(link.type): load its module \(link.module), or use a kernel that has it"
            )
        }
        // The module of bonds may be loaded by the request, and makes one of its own with this name.
        guard refusal.errno == .fileExists, let other = try listed().first(where: { $0.name == name }),
            other.link?.type == link.type
        else { throw error(what, refusal) }
        try remove(other)
        try ask(what, request)
    }

    private func request(
        _ kind: RouteRequest.Kind = .setLink, index: UInt32, _ attributes: [RouteAttribute] = [], isNew: Bool = false
    ) -> RouteRequest {
        let body = [0, 0, 0, 0] + NativeBytes.bytes(index) + [UInt8](repeating: 0, count: 8)
        return RouteRequest(kind, body: body, attributes: attributes, isNew: isNew)
    }

    private static func info(of link: VirtualLink) -> RouteAttribute {
        let data: [RouteAttribute] =
            switch link.kind {
            case .vlan(let number): [RouteAttribute(Attribute.number, NativeBytes.bytes(number ?? 0))]
            case .bridge(let hasSpanningTree):
                [RouteAttribute(Attribute.spanningTree, NativeBytes.bytes(hasSpanningTree ? UInt32(1) : 0))]
            case .bond(let mode):
                [
                    RouteAttribute(Attribute.mode, [mode.rawValue]),
                    RouteAttribute(Attribute.interval, NativeBytes.bytes(BondMode.checkInterval)),
                ]
            }
        let parts = [
            RouteAttribute(Attribute.kind, Array(link.type.utf8) + [0]),
            RouteAttribute(Attribute.data, data.flatMap(\.encoded)),
        ]
        return RouteAttribute(Attribute.info, parts.flatMap(\.encoded))
    }
}

extension VirtualLink {
    /// Returns true if the kernel can change another link to this one; if not, that is removed, and this one made.
    func succeeds(_ other: VirtualLink) -> Bool {
        switch (kind, other.kind) {
        case (.bridge, .bridge): true
        case (.vlan, .vlan): self == other
        case (.bond(let mode), .bond(let former)): mode == former
        default: false
        }
    }
}
