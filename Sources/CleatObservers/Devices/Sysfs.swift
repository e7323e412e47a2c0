package import CleatIO
package import SystemPackage

/// The devices of the machine as sysfs and udevd's database show them.
///
/// See Documentation/admin-guide/sysfs-rules.rst of the kernel: devices are found through `/sys/bus/*/devices` and
/// `/sys/class`, and their paths are those below `/sys/devices`.
package final class Sysfs: Sendable {
    /// The path of udevd's control socket; its file stays when udevd ends without removing it.
    package static let udevControl = "/run/udev/control"

    /// The state of udevd: it, or systemd on its behalf, listens at its control socket.
    package static var udevd: ServedSocket.State {
        (try? ServedSocket.state(of: udevControl, kind: .packets)) ?? .absent
    }

    private let tree: FileTree
    private let database: String

    /// Opens sysfs at its mount point, and sets the path of udevd's database.
    package init(path: String = "/sys", database: String = "/run/udev/data") throws(Errno) {
        tree = try FileTree(path)
        self.database = database
    }

    /// The number of the last uevent that the kernel sent; 0 if the kernel does not report it.
    package var lastSequenceNumber: UInt64 {
        guard let text = tree.read("kernel/uevent_seqnum", limit: 32) else { return 0 }
        let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return UInt64(String(decoding: digits, as: UTF8.self)) ?? 0
    }

    /// Returns true if the kernel lists the devices of a subsystem below `/sys/class` or `/sys/bus`.
    package func lists(_ subsystem: String) -> Bool {
        guard Self.isName(subsystem) else { return false }
        return tree.exists("class/" + subsystem) || tree.exists("bus/" + subsystem + "/devices")
    }

    /// Returns the directories that list devices, with their subsystems.
    package func lists() -> [(directory: String, subsystem: String)] {
        let buses = tree.names(in: "bus", limit: 4_096).map { ("bus/" + $0 + "/devices", $0) }
        let classes = tree.names(in: "class", limit: 4_096).map { ("class/" + $0, $0) }
        return buses + classes
    }

    func entries(of directory: String) -> [String] {
        tree.names(in: directory)
    }

    /// Returns the device that an entry of a list links to.
    func device(_ directory: String, _ entry: String, subsystem: String) -> DeviceRecord? {
        guard let link = tree.readLink(directory + "/" + entry) else { return nil }
        var target = link[...]
        while target.hasPrefix("../") { target = target.dropFirst(3) }
        let devpath = "/" + target
        guard devpath.hasPrefix("/devices/"), DeviceMessage.isDevpath(devpath.utf8) else { return nil }
        var properties = attributes(of: devpath, in: subsystem)
        properties["SUBSYSTEM"] = subsystem
        return DeviceRecord(devpath: devpath, properties: properties)
    }

    /// Returns the device with a path as it is now; nil if it no longer exists.
    package func device(at devpath: String) -> DeviceRecord? {
        guard DeviceMessage.isDevpath(devpath.utf8), let subsystem = subsystem(of: devpath) else { return nil }
        var properties = attributes(of: devpath, in: subsystem)
        properties["SUBSYSTEM"] = subsystem
        return DeviceRecord(devpath: devpath, properties: properties)
    }

    /// Returns all properties of a device: those of a uevent and those in udevd's database.
    ///
    /// Those of a power supply are not among them, since its driver would have to ask the hardware; see
    /// ``powerSupply(_:)``.
    package func properties(of record: DeviceRecord) -> PropertyBlock {
        guard DeviceMessage.isDevpath(record.devpath.utf8) else { return [:] }
        var block: PropertyBlock = ["DEVPATH": record.devpath, "SUBSYSTEM": record.subsystem]
        let attributes = attributes(of: record.devpath, in: record.subsystem)
        attributes.forEach { key, value in
            block.append(String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
        appendDatabase(of: record, attributes, to: &block)
        return block
    }

    /// Returns true if udevd has processed a device, as libudev's `is_initialized` does.
    ///
    /// udevd records every device that has a node or is a network interface; other devices count as processed.
    package func isInitialized(_ record: DeviceRecord) -> Bool {
        let attributes = attributes(of: record.devpath, in: record.subsystem)
        guard attributes["MAJOR"] != nil || attributes["IFINDEX"] != nil else { return true }
        guard let key = Self.databaseKey(record, attributes) else { return true }
        return tree.exists(database + "/" + key)
    }

    private func subsystem(of devpath: String) -> String? {
        guard let link = tree.readLink(devpath.dropFirst() + "/subsystem"), let slash = link.lastIndex(of: "/") else {
            return nil
        }
        let name = String(link[link.index(after: slash)...])
        return Self.isName(name) ? name : nil
    }

    /// Returns the contents of the device's `uevent` file, `DEVNAME` with its `/dev/`.
    private func attributes(of devpath: String, in subsystem: String) -> PropertyBlock {
        // Its driver may take long, or for ever.
        if subsystem == Self.powerSubsystem { return [:] }
        return attributes(in: String(devpath.dropFirst())) ?? [:]
    }

    private func attributes(in directory: String) -> PropertyBlock? {
        guard var text = tree.read(directory + "/uevent") else { return nil }
        for index in text.indices where text[index] == UInt8(ascii: "\n") { text[index] = 0 }
        var block = PropertyBlock(entries: text[...])
        if let node = block["DEVNAME"], !node.hasPrefix("/") { block["DEVNAME"] = "/dev/" + node }
        return block
    }

    /// The names of the power supplies, in order of their bytes.
    package var powerSupplies: [String] {
        tree.names(in: Self.powerClass, limit: 256).sortedByBytes()
    }

    /// Returns the properties of a power supply, as its driver reports them now; none if the driver could not read one
    /// of them, nil if the supply has gone.
    ///
    /// The call blocks for as long as the driver takes to ask its hardware.
    package func powerSupply(_ name: String) -> PropertyBlock? {
        let directory = Self.powerClass + "/" + name
        // After an error of a driver the kernel returns an empty file.
        guard var properties = attributes(in: directory), !properties.isEmpty else {
            return tree.exists(directory) ? [:] : nil
        }
        // Kernels before 5.9 leave these two out of the file.
        for (key, file) in [("POWER_SUPPLY_TYPE", "type"), ("POWER_SUPPLY_SCOPE", "scope")] {
            guard properties[key] == nil, let text = tree.read(directory + "/" + file, limit: 64) else { continue }
            properties.append(key, String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
        return properties
    }

    /// The subsystem of power supplies.
    package static let powerSubsystem = "power_supply"
    private static let powerClass = "class/" + powerSubsystem

    private static func databaseKey(_ record: DeviceRecord, _ attributes: PropertyBlock) -> String? {
        let key: String
        if let major = attributes["MAJOR"], let minor = attributes["MINOR"] {
            key = (record.subsystem == "block" ? "b" : "c") + major + ":" + minor
        } else if let index = attributes["IFINDEX"] {
            key = "n" + index
        } else {
            let name = record.devpath.split(separator: "/").last ?? ""
            key = "+\(record.subsystem):\(name)"
        }
        return isName(key) ? key : nil
    }

    /// Adds the device's entry in udevd's database: `E:` properties, `S:` links (`DEVLINKS`), `G:` tags (`TAGS`), `I:`
    /// the time at which udevd first processed the device (`USEC_INITIALIZED`).
    private func appendDatabase(of record: DeviceRecord, _ attributes: PropertyBlock, to block: inout PropertyBlock) {
        guard let key = Self.databaseKey(record, attributes),
            let text = tree.read(database + "/" + key, limit: PropertyBlock.limit)
        else { return }
        var links: [String] = []
        var tags: [String] = []
        for line in text.split(separator: UInt8(ascii: "\n")) where line.count > 2 {
            guard line[line.startIndex + 1] == UInt8(ascii: ":") else { continue }
            let rest = String(decoding: line.dropFirst(2), as: UTF8.self)
            switch line[line.startIndex] {
            case UInt8(ascii: "E"):
                guard let equals = rest.firstIndex(of: "=") else { continue }
                block.append(String(rest[..<equals]), String(rest[rest.index(after: equals)...]))
            case UInt8(ascii: "S"): links.append("/dev/" + rest)
            case UInt8(ascii: "G"): tags.append(rest)
            case UInt8(ascii: "I"): block.append("USEC_INITIALIZED", rest)
            default: continue
            }
        }
        if !links.isEmpty { block.append("DEVLINKS", links.joined(separator: " ")) }
        if !tags.isEmpty { block.append("TAGS", ":" + tags.joined(separator: ":") + ":") }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 255 && text != "." && text != ".." && !text.utf8.contains(UInt8(ascii: "/"))
    }
}

/// A walk over all devices, a slice at a time.
package struct SysfsWalk: Sendable {
    private let sysfs: Sysfs
    private var lists: [(directory: String, subsystem: String)]
    private var current: (directory: String, subsystem: String)?
    private var entries: [String] = []
    private let onlyInitialized: Bool
    private var left = DeviceTable.limit

    /// Starts a walk.
    ///
    /// - Parameters:
    ///   - sysfs: The sysfs tree to walk.
    ///   - onlyInitialized: True to skip devices that udevd has not processed yet; udevd sends a message for them
    ///     later.
    package init(_ sysfs: Sysfs, onlyInitialized: Bool) {
        self.sysfs = sysfs
        self.onlyInitialized = onlyInitialized
        lists = sysfs.lists().reversed()
    }

    /// Starts a walk over the class of one subsystem.
    package init(_ sysfs: Sysfs, subsystem: String) {
        self.sysfs = sysfs
        onlyInitialized = false
        lists = [("class/" + subsystem, subsystem)]
    }

    /// Reads up to `limit` more entries and returns their devices; nil at the end.
    package mutating func next(_ limit: Int) -> [DeviceRecord]? {
        var found: [DeviceRecord] = []
        var looked = 0
        while looked < limit, left > 0 {
            guard let entry = entries.popLast(), let current else {
                guard let list = lists.popLast() else { break }
                current = list
                entries = sysfs.entries(of: list.directory)
                looked += 1
                continue
            }
            looked += 1
            left -= 1
            guard let record = sysfs.device(current.directory, entry, subsystem: current.subsystem),
                !onlyInitialized || sysfs.isInitialized(record)
            else { continue }
            found.append(record)
        }
        return looked == 0 ? nil : found
    }
}
