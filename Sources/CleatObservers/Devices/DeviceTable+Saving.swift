extension DeviceTable {
    /// Returns the table in the form of a section of ``ObserverState``.
    package func encoded() -> [UInt8] {
        var fields = FieldWriter()
        for index in 0..<count {
            let device = self[index]
            fields.append(device.devpath, device.subsystem, device.devtype, device.node, device.driver)
        }
        return fields.bytes
    }

    /// Reads a table that was saved.
    ///
    /// - Throws: ``ObserverError`` for bytes that are not a table, and for more devices than a table can have.
    package init(decoding bytes: [UInt8]) throws(ObserverError) {
        var fields = FieldReader(bytes)
        var devices: [DeviceRecord] = []
        while !fields.isAtEnd {
            guard devices.count <= Self.limit else { throw .savedState("it has too many records", of: "devices") }
            guard let device = DeviceRecord(&fields) else { throw .savedState("a device is not valid", of: "devices") }
            devices.append(device)
        }
        self.init(devices)
    }
}

extension DeviceRecord {
    fileprivate init?(_ fields: inout FieldReader) {
        guard let devpath = fields.next(), DeviceMessage.isDevpath(devpath.utf8), let subsystem = fields.next(),
            !subsystem.isEmpty, let devtype = fields.optional(), let node = fields.optional(),
            let driver = fields.optional()
        else { return nil }
        self.init(devpath: devpath, subsystem: subsystem, devtype: devtype, node: node, driver: driver)
    }
}
