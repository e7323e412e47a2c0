/// The fields that the observer keeps of one device.
package struct DeviceRecord: Sendable, Equatable {
    /// The path below `/sys`, with a leading slash.
    package var devpath: String
    /// The subsystem.
    package var subsystem: String
    /// The type within the subsystem.
    package var devtype: String?
    /// The device node, with `/dev/`.
    package var node: String?
    /// The driver that is bound to it.
    package var driver: String?

    /// Makes a record from its parts.
    package init(
        devpath: String, subsystem: String, devtype: String? = nil, node: String? = nil, driver: String? = nil
    ) {
        self.devpath = devpath
        self.subsystem = subsystem
        self.devtype = devtype
        self.node = node
        self.driver = driver
    }

    /// Makes a record from a message; nil if the message is not about a device of a subsystem.
    package init?(_ message: DeviceMessage) {
        guard message.devpath.hasPrefix("/devices/") else { return nil }
        self.init(devpath: message.devpath, properties: message.properties)
    }

    /// Makes a record from a device's properties; nil if they name no subsystem.
    package init?(devpath: String, properties: PropertyBlock) {
        var subsystem: String?
        var devtype: String?
        var node: String?
        var driver: String?
        properties.forEach { key, value in
            if key.elementsEqual("SUBSYSTEM".utf8) { subsystem = String(decoding: value, as: UTF8.self) }
            if key.elementsEqual("DEVTYPE".utf8) { devtype = String(decoding: value, as: UTF8.self) }
            if key.elementsEqual("DEVNAME".utf8) { node = String(decoding: value, as: UTF8.self) }
            if key.elementsEqual("DRIVER".utf8) { driver = String(decoding: value, as: UTF8.self) }
        }
        guard let subsystem, !subsystem.isEmpty else { return nil }
        self.init(devpath: devpath, subsystem: subsystem, devtype: devtype, node: node, driver: driver)
    }

    /// The kernel's name of the device: the last component of the path, with `!` standing for `/`.
    package var name: String { Self.name(of: devpath) }

    static func name(of devpath: String) -> String {
        let bytes = devpath.utf8
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
        return String(decoding: bytes[start...].map { $0 == UInt8(ascii: "!") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
    }

    /// Returns the properties of an event, made from this record because the device itself can no longer be read.
    package func properties(action: String) -> PropertyBlock {
        var block: PropertyBlock = ["ACTION": action, "DEVPATH": devpath, "SUBSYSTEM": subsystem]
        if let devtype { block.append("DEVTYPE", devtype) }
        if let node { block.append("DEVNAME", node) }
        if let driver { block.append("DRIVER", driver) }
        return block
    }
}
