extension LinkTable {
    /// Returns the table in the form of a section of ``ObserverState``: each link, followed by its addresses and default routes.
    package func encoded() -> [UInt8] {
        var fields = FieldWriter()
        let addresses = addressesByLink
        for link in sorted {
            fields.append(
                "L", String(link.index), link.name, link.kind, String(link.hardwareType), link.address,
                String(link.state.rawValue), link.carrier ? "1" : "0", String(link.flags.rawValue), String(link.mtu))
            for address in addresses[link.index, default: []] {
                fields.append(
                    "A", String(address.index), address.bytes.map { String($0) }.joined(separator: " "),
                    String(address.prefixLength), String(address.scope), String(address.flags))
            }
            for route in routes(of: link.index) {
                fields.append(
                    "R", String(route.index), route.family, route.gateway.map { String($0) }.joined(separator: " "),
                    String(route.metric))
            }
        }
        return fields.bytes
    }

    /// Reads a table that was saved.
    ///
    /// - Throws: ``ObserverError`` for bytes that are not a table, and for more links or addresses than a table can have.
    package init(decoding bytes: [UInt8]) throws(ObserverError) {
        var fields = FieldReader(bytes)
        var links: [LinkRecord] = []
        var addresses: [AddressRecord] = []
        var routes: Set<DefaultRoute> = []
        while !fields.isAtEnd {
            guard links.count <= Self.limit, addresses.count <= Self.limit, routes.count <= Self.limit else {
                throw .savedState("it has too many records", of: "links")
            }
            switch fields.next() {
            case "L":
                guard let link = LinkRecord(&fields) else { throw .savedState("a link is not valid", of: "links") }
                links.append(link)
            case "A":
                guard let address = AddressRecord(&fields) else {
                    throw .savedState("an address is not valid", of: "links")
                }
                addresses.append(address)
            case "R":
                guard let route = DefaultRoute(&fields) else { throw .savedState("a route is not valid", of: "links") }
                routes.insert(route)
            default: throw .savedState("a record is of an unknown type", of: "links")
            }
        }
        self.init(links: links, addresses: addresses, routes: routes)
    }
}

extension LinkRecord {
    fileprivate init?(_ fields: inout FieldReader) {
        guard let index = fields.number(Int32.self), let name = fields.next(), !name.isEmpty,
            let kind = fields.optional(), let type = fields.number(UInt16.self), let address = fields.optional(),
            let state = fields.number(UInt8.self).flatMap(OperationalState.init(rawValue:)),
            let carrier = fields.next(),
            let flags = fields.number(UInt32.self), let mtu = fields.number(UInt32.self)
        else { return nil }
        self.init(
            index: index, name: name, kind: kind, hardwareType: type, address: address, state: state,
            carrier: carrier == "1", flags: LinkFlags(rawValue: flags), mtu: mtu)
    }
}

extension AddressRecord {
    fileprivate init?(_ fields: inout FieldReader) {
        guard let index = fields.number(Int32.self), let text = fields.next(),
            let prefixLength = fields.number(UInt8.self), let scope = fields.number(UInt8.self),
            let flags = fields.number(UInt32.self)
        else { return nil }
        let bytes = text.split(separator: " ").compactMap { UInt8($0) }
        guard bytes.count == 4 || bytes.count == 16, Int(prefixLength) <= bytes.count * 8 else { return nil }
        self.init(index: index, bytes: bytes, prefixLength: prefixLength, scope: scope, flags: flags)
    }
}

extension DefaultRoute {
    fileprivate init?(_ fields: inout FieldReader) {
        guard let index = fields.number(Int32.self), let family = fields.next(), let text = fields.next(),
            let metric = fields.number(UInt32.self)
        else { return nil }
        let gateway = text.split(separator: " ").compactMap { UInt8($0) }
        guard ["ipv4", "ipv6"].contains(family), [0, 4, 16].contains(gateway.count) else { return nil }
        self.init(index: index, isIPv6: family == "ipv6", gateway: gateway, metric: metric)
    }
}
