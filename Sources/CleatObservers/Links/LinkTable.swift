import CleatOrder

/// The links of a network namespace with their addresses.
package struct LinkTable: Sendable, Equatable {
    /// The largest number of links, and of addresses, in the table; further ones are not followed.
    package static let limit = 16_384

    /// The links by their interface indexes.
    package private(set) var links: [Int32: LinkRecord] = [:]
    /// The addresses of all links.
    package private(set) var addresses: [AddressRecord.Key: AddressRecord] = [:]
    /// The default routes of all links.
    package private(set) var routes: Set<DefaultRoute> = []

    /// Makes an empty table.
    package init() {}

    /// Makes a table from records; addresses and routes of unknown links are skipped.
    package init(links: [LinkRecord], addresses: [AddressRecord], routes: Set<DefaultRoute> = []) {
        for link in links { _ = update(link) }
        for address in addresses where self.links[address.index] != nil { _ = update(address) }
        _ = replace(routes: routes.filter { self.links[$0.index] != nil })
    }

    /// Adds a link or replaces its record; returns the changes.
    package mutating func update(_ link: LinkRecord) -> [LinkChange] {
        guard let old = links[link.index] else {
            guard links.count < Self.limit else { return [] }
            links[link.index] = link
            var changes = [LinkChange(.added, link)]
            if link.isUsable { changes.append(LinkChange(.up, link)) }
            return changes
        }
        if old == link { return [] }
        links[link.index] = link
        return LinkChange.between(old, link)
    }

    /// Removes a link with its addresses; returns the changes.
    package mutating func remove(index: Int32) -> [LinkChange] {
        guard var link = links.removeValue(forKey: index) else { return [] }
        var changes = routes(of: index).map { LinkChange(.routeRemoved, link, route: $0) }
        for change in changes { if let route = change.route { routes.remove(route) } }
        changes += addresses(of: index).map { LinkChange(.addressRemoved, link, address: $0) }
        for change in changes {
            if let key = change.address?.key { addresses[key] = nil }
        }
        let wasUsable = link.isUsable
        link.state = .notPresent
        link.carrier = false
        link.flags.subtract([.up, .running, .lowerUp])
        if wasUsable { changes.append(LinkChange(.down, link)) }
        changes.append(LinkChange(.removed, link))
        return changes
    }

    /// Adds an address or replaces its record; returns the changes.
    package mutating func update(_ address: AddressRecord) -> [LinkChange] {
        guard let old = addresses[address.key] else {
            guard addresses.count < Self.limit else { return [] }
            addresses[address.key] = address
            guard let link = links[address.index] else { return [] }
            return [LinkChange(.addressAdded, link, address: address)]
        }
        addresses[address.key] = address
        guard let link = links[address.index],
            (old.flags ^ address.flags) & AddressRecord.usabilityFlags != 0 || old.scope != address.scope
        else { return [] }
        return [LinkChange(.addressChanged, link, address: address)]
    }

    /// Removes an address; returns the changes.
    package mutating func remove(_ address: AddressRecord) -> [LinkChange] {
        guard let old = addresses.removeValue(forKey: address.key) else { return [] }
        guard let link = links[address.index] else { return [] }
        return [LinkChange(.addressRemoved, link, address: old)]
    }

    /// Replaces the default routes of all links; returns the changes.
    package mutating func replace(routes new: Set<DefaultRoute>) -> [LinkChange] {
        let old = routes
        routes = new.count <= Self.limit ? new : Set(new.ordered(by: DefaultRoute.precedes).prefix(Self.limit))
        func changes(_ action: LinkAction, _ routes: Set<DefaultRoute>) -> [LinkChange] {
            routes.ordered { $0.index == $1.index ? DefaultRoute.precedes($0, $1) : $0.index < $1.index }
                .compactMap { route in links[route.index].map { LinkChange(action, $0, route: route) } }
        }
        return changes(.routeRemoved, old.subtracting(routes)) + changes(.routeAdded, routes.subtracting(old))
    }

    /// Returns the default routes of a link, IPv4 first, then by their metrics.
    package func routes(of index: Int32) -> [DefaultRoute] {
        routes.filter { $0.index == index }.ordered(by: DefaultRoute.precedes)
    }

    /// The links sorted by the bytes of their names.
    package var sorted: [LinkRecord] {
        links.values.ordered { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Returns the addresses of a link, IPv4 first, then by their bytes.
    package func addresses(of index: Int32) -> [AddressRecord] {
        addresses.values.filter { $0.index == index }.ordered(by: Self.precedes)
    }

    /// The addresses of every link, each in the order of ``addresses(of:)``, read in one pass over all addresses.
    package var addressesByLink: [Int32: [AddressRecord]] {
        Dictionary(grouping: addresses.values, by: \.index).mapValues { $0.ordered(by: Self.precedes) }
    }

    private static func precedes(_ first: AddressRecord, _ second: AddressRecord) -> Bool {
        if first.bytes.count != second.bytes.count { return first.bytes.count < second.bytes.count }
        if first.bytes != second.bytes { return first.bytes.lexicographicallyPrecedes(second.bytes) }
        return first.prefixLength < second.prefixLength
    }

    /// Returns the changes from this state to a later one, as far as the two states show them.
    package func changes(to later: LinkTable) -> [LinkChange] {
        var table = self
        var changes = links.keys.filter { later.links[$0] == nil }.ordered(by: <).flatMap { table.remove(index: $0) }
        for (_, link) in later.links.ordered(by: { $0.key < $1.key }) { changes += table.update(link) }
        for (key, address) in table.addresses where later.addresses[key] == nil { changes += table.remove(address) }
        let addresses = later.addressesByLink
        for link in later.links.keys.ordered(by: <) {
            for address in addresses[link, default: []] { changes += table.update(address) }
        }
        changes += table.replace(routes: later.routes)
        return changes
    }
}
