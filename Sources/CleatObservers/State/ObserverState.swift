/// The devices and links at one moment, saved in the runtime directory so that the changes during a restart of the
/// service can be published.
///
/// The state is valid within one boot only: after a reboot, everything is new anyway.
package struct ObserverState: Sendable {
    /// The largest saved state that is read, in bytes.
    package static let limit = 16 << 20

    private static let header = "cleat-observers 1"

    /// The id of the boot in which the state was taken.
    package var bootID: String
    /// The devices.
    package var devices: [DeviceRecord]
    /// The links with their addresses.
    package var links: LinkTable

    /// Makes a state from its parts.
    package init(bootID: String, devices: [DeviceRecord], links: LinkTable) {
        self.bootID = bootID
        self.devices = devices
        self.links = links
    }

    /// Returns the state of running observers.
    package static func current(bootID: String, devices: DeviceObserver, links: LinkObserver) async -> ObserverState {
        ObserverState(bootID: bootID, devices: await devices.records, links: await links.table)
    }

    // MARK: Encoding

    /// Returns the state as bytes: fields that end with a NUL, in records whose first field is their type.
    package func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        func put(_ fields: String?...) {
            for field in fields {
                bytes.append(contentsOf: (field ?? "").utf8.filter { $0 != 0 })
                bytes.append(0)
            }
        }
        put(Self.header, bootID)
        for device in devices {
            put("D", device.devpath, device.subsystem, device.devtype, device.node, device.driver)
        }
        let addresses = links.addressesByLink
        for link in links.sorted {
            put(
                "L", String(link.index), link.name, link.kind, String(link.hardwareType), link.address,
                String(link.state.rawValue), link.carrier ? "1" : "0", String(link.flags.rawValue), String(link.mtu))
            for address in addresses[link.index, default: []] {
                put(
                    "A", String(address.index), address.bytes.map { String($0) }.joined(separator: " "),
                    String(address.prefixLength), String(address.scope), String(address.flags))
            }
        }
        put("E")
        return bytes
    }

    /// Reads a saved state; throws an error if it is truncated, of another format or beyond the limits.
    package init(decoding bytes: [UInt8]) throws(ObserverError) {
        guard bytes.count <= Self.limit else { throw Self.refusal("it is longer than \(Self.limit) bytes") }
        var fields = Fields(bytes)
        guard fields.next() == Self.header, let bootID = fields.next() else {
            throw Self.refusal("it has another form")
        }
        var devices: [DeviceRecord] = []
        var links: [LinkRecord] = []
        var addresses: [AddressRecord] = []
        records: while true {
            guard devices.count <= DeviceTable.limit, links.count <= LinkTable.limit, addresses.count <= LinkTable.limit
            else { throw Self.refusal("it holds too many records") }
            switch fields.next() {
            case "D":
                guard let device = fields.device() else { throw Self.refusal("a device makes no sense") }
                devices.append(device)
            case "L":
                guard let link = fields.link() else { throw Self.refusal("a link makes no sense") }
                links.append(link)
            case "A":
                guard let address = fields.address() else { throw Self.refusal("an address makes no sense") }
                addresses.append(address)
            case "E": break records
            default: throw Self.refusal("it is cut short")
            }
        }
        self.init(bootID: bootID, devices: devices, links: LinkTable(links: links, addresses: addresses))
    }

    private static func refusal(_ reason: String) -> ObserverError {
        ObserverError(
            .state, subject: "the saved state of devices and links (\(reason))",
            remedy: "changes made while the service was down are not reported")
    }

    // MARK: Differences

    /// Publishes the changes since this state, each event marked as restored.
    ///
    /// A state of another boot publishes nothing. The caller must wait until both observers have settled.
    package func tellChanges(bootID: String, devices: DeviceObserver, links: LinkObserver) async {
        guard bootID == self.bootID else { return }
        await devices.tellChanges(since: self.devices)
        await links.tellChanges(since: self.links)
    }
}

/// The parser of a saved state's fields.
private struct Fields {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> String? {
        guard offset < bytes.count, let end = bytes[offset...].firstIndex(of: 0) else { return nil }
        defer { offset = end + 1 }
        return String(validating: bytes[offset..<end], as: UTF8.self)
    }

    /// Returns the next field; the inner nil is an empty field, the outer nil the end of the bytes or a field that is
    /// not UTF-8.
    private mutating func optional() -> String?? {
        guard let field = next() else { return .none }
        return .some(field.isEmpty ? nil : field)
    }

    private mutating func number<T: FixedWidthInteger>(_: T.Type) -> T? {
        next().flatMap { T($0) }
    }

    mutating func device() -> DeviceRecord? {
        guard let devpath = next(), DeviceMessage.isDevpath(devpath.utf8), let subsystem = next(), !subsystem.isEmpty,
            let devtype = optional(), let node = optional(), let driver = optional()
        else { return nil }
        return DeviceRecord(devpath: devpath, subsystem: subsystem, devtype: devtype, node: node, driver: driver)
    }

    mutating func link() -> LinkRecord? {
        guard let index = number(Int32.self), let name = next(), !name.isEmpty, let kind = optional(),
            let type = number(UInt16.self), let address = optional(),
            let state = number(UInt8.self).flatMap(OperationalState.init(rawValue:)), let carrier = next(),
            let flags = number(UInt32.self), let mtu = number(UInt32.self)
        else { return nil }
        return LinkRecord(
            index: index, name: name, kind: kind, hardwareType: type, address: address, state: state,
            carrier: carrier == "1", flags: LinkFlags(rawValue: flags), mtu: mtu)
    }

    mutating func address() -> AddressRecord? {
        guard let index = number(Int32.self), let text = next(), let prefixLength = number(UInt8.self),
            let scope = number(UInt8.self), let flags = number(UInt32.self)
        else { return nil }
        let bytes = text.split(separator: " ").compactMap { UInt8($0) }
        guard bytes.count == 4 || bytes.count == 16, Int(prefixLength) <= bytes.count * 8 else { return nil }
        return AddressRecord(index: index, bytes: bytes, prefixLength: prefixLength, scope: scope, flags: flags)
    }
}
