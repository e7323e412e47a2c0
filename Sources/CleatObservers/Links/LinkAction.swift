/// The actions of events whose source is `link`; the subject is always the interface's name.
///
/// Every event of a link has the properties `INTERFACE`, `IFINDEX`, `TYPE`, `OPERSTATE`, `CARRIER` (`0` or `1`), `MTU`,
/// `FLAGS`, and if the link has them `ADDRESS` (the link-layer one) and `KIND`. `CLEAT_RESYNC=1` marks changes that
/// were found by a new dump after messages were lost.
package enum LinkAction: String, Sendable, Hashable, CaseIterable {
    /// A link was added; if it can pass packets already, `up` follows at once.
    case added
    /// A link was removed; if it could pass packets, `down` came before.
    case removed
    /// Packets can pass now: the operational state became `up`, or `unknown` while the link is switched on with a
    /// carrier (for links that do not report the state).
    case up
    /// Packets can no longer pass.
    case down
    /// The driver sees a carrier: a cable was plugged in, or the other end came up.
    case carrierGained = "carrier-gained"
    /// The driver sees no carrier any more.
    case carrierLost = "carrier-lost"
    /// The link has a new name, the event's subject; `OLD_NAME` is the former one.
    case renamed
    /// Another attribute changed; `CHANGED` names what, separated by spaces: `state`, `admin`, `mtu`, `address`,
    /// `kind`, `flags`.
    case changed
    /// The link has an IP address: `IP_ADDRESS` (with prefix length), `FAMILY` (`ipv4`, `ipv6`), `SCOPE`, and
    /// `TENTATIVE=1`, `DUPLICATE=1`, `DEPRECATED=1` if they apply.
    case addressAdded = "address-added"
    /// The link has lost an IP address; the properties are those of `address-added`.
    case addressRemoved = "address-removed"
    /// The tentative, duplicate or deprecated state of an IP address, or its scope, changed; the properties are those
    /// of `address-added`.
    case addressChanged = "address-changed"
    /// The link has a default route: `FAMILY` (`ipv4`, `ipv6`), `METRIC`, and `GATEWAY` if it leads to one.
    case routeAdded = "route-added"
    /// The link has lost a default route; the properties are those of `route-added`.
    case routeRemoved = "route-removed"
}

/// One change of a link.
package struct LinkChange: Sendable, Equatable {
    /// The kind of change.
    package var action: LinkAction
    /// The link as it is now; as it last was, but switched off and without carrier, if it was removed.
    package var link: LinkRecord
    /// The name before a rename.
    package var oldName: String?
    /// The changed attributes, for ``LinkAction/changed``.
    package var fields: [String] = []
    /// The IP address that changed; nil for changes of the link itself.
    package var address: AddressRecord?
    /// The default route that changed; nil for all other changes.
    package var route: DefaultRoute?

    init(
        _ action: LinkAction, _ link: LinkRecord, oldName: String? = nil, fields: [String] = [],
        address: AddressRecord? = nil, route: DefaultRoute? = nil
    ) {
        self.action = action
        self.link = link
        self.oldName = oldName
        self.fields = fields
        self.address = address
        self.route = route
    }

    /// The properties of the event.
    package var properties: PropertyBlock {
        var block = link.properties
        if let oldName { block.append("OLD_NAME", oldName) }
        if !fields.isEmpty { block.append("CHANGED", fields.joined(separator: " ")) }
        if let address {
            block.append("IP_ADDRESS", address.text)
            block.append("FAMILY", address.family)
            block.append("SCOPE", address.scopeName)
            if address.flags & 0x40 != 0 { block.append("TENTATIVE", "1") }
            if address.flags & 0x08 != 0 { block.append("DUPLICATE", "1") }
            if address.flags & 0x20 != 0 { block.append("DEPRECATED", "1") }
        }
        if let route {
            block.append("FAMILY", route.family)
            block.append("METRIC", String(route.metric))
            if let gateway = route.gatewayText { block.append("GATEWAY", gateway) }
        }
        return block
    }

    /// Returns the changes from one record of a link to a later one, in the order in which they are published.
    static func between(_ old: LinkRecord, _ new: LinkRecord) -> [LinkChange] {
        var changes: [LinkChange] = []
        if old.name != new.name { changes.append(LinkChange(.renamed, new, oldName: old.name)) }
        if old.carrier != new.carrier { changes.append(LinkChange(new.carrier ? .carrierGained : .carrierLost, new)) }
        if old.isUsable != new.isUsable { changes.append(LinkChange(new.isUsable ? .up : .down, new)) }
        var fields: [String] = []
        if old.state != new.state, old.isUsable == new.isUsable { fields.append("state") }
        if old.flags.contains(.up) != new.flags.contains(.up) { fields.append("admin") }
        if old.mtu != new.mtu { fields.append("mtu") }
        if old.address != new.address { fields.append("address") }
        if old.kind != new.kind { fields.append("kind") }
        let reported: LinkFlags = [.up, .lowerUp, .running]
        if old.flags.subtracting(reported) != new.flags.subtracting(reported) { fields.append("flags") }
        if !fields.isEmpty { changes.append(LinkChange(.changed, new, fields: fields)) }
        return changes
    }
}

extension LinkRecord {
    /// The properties that every event of a link has.
    package var properties: PropertyBlock {
        var block: PropertyBlock = [
            "INTERFACE": name, "IFINDEX": String(index), "TYPE": typeName, "OPERSTATE": state.name,
            "CARRIER": carrier ? "1" : "0", "MTU": String(mtu), "FLAGS": flags.names,
        ]
        if let address { block.append("ADDRESS", address) }
        if let kind { block.append("KIND", kind) }
        return block
    }
}
