internal import CleatIO

/// One uevent, as the kernel or udevd sent it.
package struct DeviceMessage: Sendable, Equatable {
    /// The action: `add`, `remove`, `change`, `move`, `bind`, `unbind`, `online`, `offline`, or a name that a later
    /// kernel adds.
    package var action: String
    /// The device's path below `/sys`, with a leading slash.
    package var devpath: String
    /// All properties of the message, including `ACTION` and `DEVPATH`.
    package var properties: PropertyBlock

    /// Makes a message from its parts.
    package init(action: String, devpath: String, properties: PropertyBlock) {
        self.action = action
        self.devpath = devpath
        self.properties = properties
    }

    /// The kernel's number of the event; udevd's copy of the event has the same number.
    package var sequenceNumber: UInt64? { properties["SEQNUM"].flatMap { UInt64($0) } }

    /// The device's path before a `move`; nil for other actions.
    package var oldDevpath: String? {
        guard let path = properties["DEVPATH_OLD"], Self.isDevpath(path.utf8) else { return nil }
        return path
    }
}

/// The reason why bytes are not a valid uevent.
package enum DeviceMessageError: Error, Sendable, Equatable {
    /// The message is shorter than its header or its length fields state.
    case truncated
    /// The header does not belong to this kind of message.
    case header
    /// The action is missing, not a plain word, or differs from the header's.
    case action
    /// The path is missing, not one below `/sys`, or differs from the header's.
    case devpath
}

extension DeviceMessage {
    /// The longest path that is accepted, in bytes.
    static let devpathLimit = 2_048
    /// The longest action name that is accepted, in bytes.
    static let actionLimit = 32

    /// Parses a message of the kernel's group: `action@devpath`, NUL, then `KEY=VALUE` entries, each ended by a NUL.
    ///
    /// `DEVNAME` gets the `/dev/` that udevd's messages have, so that a hook reads the same from both.
    /// See lib/kobject_uevent.c of the kernel.
    package init(kernel bytes: [UInt8]) throws(DeviceMessageError) {
        guard let end = bytes.firstIndex(of: 0) else { throw .truncated }
        guard let at = bytes[..<end].firstIndex(of: UInt8(ascii: "@")) else { throw .header }
        let action = bytes[..<at]
        let devpath = bytes[(at + 1)..<end]
        guard Self.isAction(action) else { throw .action }
        guard Self.isDevpath(devpath) else { throw .devpath }
        self.action = String(decoding: action, as: UTF8.self)
        self.devpath = String(decoding: devpath, as: UTF8.self)
        properties = PropertyBlock(entries: bytes[(end + 1)...])
        guard properties["ACTION"] == self.action else { throw .action }
        guard properties["DEVPATH"] == self.devpath else { throw .devpath }
        if let node = properties["DEVNAME"], !node.hasPrefix("/") { properties["DEVNAME"] = "/dev/" + node }
    }

    /// Parses a message of udevd's group: the `libudev` header, then a block of `KEY=VALUE` entries at the offset that
    /// the header specifies.
    ///
    /// The filter hashes of the header are ignored, as they only serve socket filters. See
    /// src/libsystemd/sd-device/device-monitor.c of systemd.
    package init(udevd bytes: [UInt8]) throws(DeviceMessageError) {
        let view = ByteView(bytes)
        guard view.count >= 24 else { throw .truncated }
        guard view.part(at: 0, count: 8)?.slice.elementsEqual(Array("libudev\0".utf8)) == true,
            view.big32(at: 8) == 0xfeed_cafe
        else { throw .header }
        guard let headerSize = view.native32(at: 12), let offset = view.native32(at: 16),
            let length = view.native32(at: 20), headerSize >= 24, offset >= headerSize,
            let block = view.part(at: Int(clamping: offset), count: Int(clamping: length))
        else { throw .truncated }
        properties = PropertyBlock(entries: block.slice)
        guard let action = properties["ACTION"], Self.isAction(action.utf8) else { throw .action }
        guard let devpath = properties["DEVPATH"], Self.isDevpath(devpath.utf8) else { throw .devpath }
        self.action = action
        self.devpath = devpath
    }

    private static func isAction(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty && bytes.count <= actionLimit
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }

    /// Returns true if bytes are an absolute path without empty, `.` and `..` components, as every path below `/sys`
    /// is.
    package static func isDevpath(_ bytes: some Collection<UInt8>) -> Bool {
        guard bytes.count > 1, bytes.count <= devpathLimit, bytes.first == UInt8(ascii: "/") else { return false }
        return bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && !$0.elementsEqual([UInt8(ascii: ".")])
                && !$0.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")])
        }
    }
}
