/// A device of the kernel in its present state.
package struct Device: Codable, Hashable, Sendable {
    /// The path below `/sys`: `/devices/…`.
    package var devpath: String
    /// The subsystem: `block`, `net`, `usb`, ….
    package var subsystem: String
    /// The type within the subsystem: `disk`, `partition`, ….
    package var devtype: String?
    /// The kernel's name: `sda`, `eth0`.
    package var name: String
    /// The device node: `/dev/sda`.
    package var node: String?
    /// The driver that is bound to it.
    package var driver: String?
    /// The uevent's properties; sorted by key on the wire.
    package var properties: [String: String]

    /// Creates a device.
    package init(
        devpath: String, subsystem: String, devtype: String? = nil, name: String, node: String? = nil,
        driver: String? = nil, properties: [String: String] = [:]
    ) {
        self.devpath = devpath
        self.subsystem = subsystem
        self.devtype = devtype
        self.name = name
        self.node = node
        self.driver = driver
        self.properties = properties
    }

    private enum CodingKeys: String, CodingKey {
        case devpath
        case subsystem
        case devtype
        case name
        case node
        case driver
        case properties
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(devpath, forKey: .devpath)
        try container.encode(subsystem, forKey: .subsystem)
        try container.encodeIfPresent(devtype, forKey: .devtype)
        try container.encode(name, forKey: .name)
        try container.encodeIfPresent(node, forKey: .node)
        try container.encodeIfPresent(driver, forKey: .driver)
        try container.encodeSorted(properties, forKey: .properties)
    }
}
