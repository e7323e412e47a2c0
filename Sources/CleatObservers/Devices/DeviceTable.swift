import CleatOrder

/// All devices of the machine in compact form: sorted by the bytes of the path, each shared name stored once.
package struct DeviceTable: Sendable {
    /// The largest number of devices in the table; further ones are not followed.
    package static let limit = 65_536

    private struct Entry: Sendable {
        var devpath: String
        var node: String
        var subsystem: UInt16
        var devtype: UInt16
        var driver: UInt16
    }

    /// Names by number; 0 stands for no name.
    private struct Names: Sendable {
        private var texts: [String] = [""]
        private var numbers: [String: UInt16] = [:]

        subscript(number: UInt16) -> String? {
            number == 0 || Int(number) >= texts.count ? nil : texts[Int(number)]
        }

        mutating func number(of text: String?) -> UInt16 {
            guard let text, !text.isEmpty else { return 0 }
            if let number = numbers[text] { return number }
            guard let number = UInt16(exactly: texts.count) else { return 0 }
            texts.append(text)
            numbers[text] = number
            return number
        }
    }

    private var entries: ContiguousArray<Entry> = []
    private var names = Names()

    /// Makes an empty table.
    package init() {}

    /// Makes a table from records; of several with the same path, the last one counts.
    package init(_ records: [DeviceRecord]) {
        for record in records.ordered(by: { Self.precedes($0.devpath, $1.devpath) }) { update(record) }
    }

    /// The number of devices.
    package var count: Int { entries.count }

    /// The device at an index in the order of paths.
    package subscript(index: Int) -> DeviceRecord {
        let entry = entries[index]
        return DeviceRecord(
            devpath: entry.devpath, subsystem: names[entry.subsystem] ?? "", devtype: names[entry.devtype],
            node: entry.node.isEmpty ? nil : entry.node, driver: names[entry.driver])
    }

    /// All devices in the order of their paths.
    package var records: [DeviceRecord] { entries.indices.map { self[$0] } }

    /// Returns the device with a path; nil if it is not in the table.
    package func device(at devpath: String) -> DeviceRecord? {
        let index = index(of: devpath)
        return holds(devpath, at: index) ? self[index] : nil
    }

    /// Returns the index of the first device whose path does not sort before this one.
    func index(of devpath: String) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if Self.precedes(entries[middle].devpath, devpath) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Returns a page of devices in the order of their paths.
    ///
    /// - Parameters:
    ///   - subsystem: The only subsystem to return devices of; nil for all.
    ///   - after: The path after which the page starts; nil for the first page.
    ///   - limit: The largest number of devices on the page.
    /// - Returns: The devices, and the path to pass as `after` for the next page; nil on the last page.
    func page(subsystem: String?, after: String?, limit: Int) -> (records: [DeviceRecord], next: String?) {
        var index = after.map { self.index(of: $0) } ?? 0
        if let after, holds(after, at: index) { index += 1 }
        var page: [DeviceRecord] = []
        while index < count {
            let record = self[index]
            index += 1
            if let subsystem, record.subsystem != subsystem { continue }
            if page.count >= max(1, limit) { return (page, page.last?.devpath) }
            page.append(record)
        }
        return (page, nil)
    }

    /// Adds a device or replaces its record; returns false if the table is full.
    @discardableResult
    package mutating func update(_ record: DeviceRecord) -> Bool {
        let index = index(of: record.devpath)
        let entry = Entry(
            devpath: record.devpath, node: record.node ?? "", subsystem: names.number(of: record.subsystem),
            devtype: names.number(of: record.devtype), driver: names.number(of: record.driver))
        if holds(record.devpath, at: index) {
            entries[index] = entry
        } else {
            guard entries.count < Self.limit else { return false }
            entries.insert(entry, at: index)
        }
        return true
    }

    /// Removes a device and returns it; nil if it is not in the table.
    @discardableResult
    package mutating func remove(_ devpath: String) -> DeviceRecord? {
        let index = index(of: devpath)
        guard holds(devpath, at: index) else { return nil }
        defer { entries.remove(at: index) }
        return self[index]
    }

    /// Changes the path of a device and of everything below it.
    package mutating func move(from old: String, to new: String) {
        let prefix = old + "/"
        let moved = entries.filter { $0.devpath == old || $0.devpath.hasPrefix(prefix) }
        guard !moved.isEmpty else { return }
        entries.removeAll { $0.devpath == old || $0.devpath.hasPrefix(prefix) }
        for var entry in moved {
            entry.devpath = new + String(decoding: entry.devpath.utf8.dropFirst(old.utf8.count), as: UTF8.self)
            let index = index(of: entry.devpath)
            if holds(entry.devpath, at: index) {
                entries[index] = entry
            } else {
                entries.insert(entry, at: index)
            }
        }
    }

    /// Returns the differences from this table to another, except for ignored paths.
    ///
    /// Removals come first, in reverse order of paths, so that children are removed before their parents. The rest
    /// follows in the order of paths.
    package func differences(to other: DeviceTable, ignoring ignored: Set<String> = []) -> [DeviceDifference] {
        var gone: [DeviceDifference] = []
        var rest: [DeviceDifference] = []
        var left = 0
        var right = 0
        while left < count || right < other.count {
            if right >= other.count
                || (left < count && Self.precedes(entries[left].devpath, other.entries[right].devpath))
            {
                if !ignored.contains(entries[left].devpath) { gone.append(.disappeared(self[left])) }
                left += 1
            } else if left >= count || Self.precedes(other.entries[right].devpath, entries[left].devpath) {
                if !ignored.contains(other.entries[right].devpath) { rest.append(.appeared(other[right])) }
                right += 1
            } else {
                let new = other[right]
                if !ignored.contains(new.devpath), self[left] != new { rest.append(.altered(new)) }
                left += 1
                right += 1
            }
        }
        return gone.reversed() + rest
    }

    private func holds(_ devpath: String, at index: Int) -> Bool {
        index < entries.count && entries[index].devpath.utf8.elementsEqual(devpath.utf8)
    }

    private static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}

/// A difference of one device between two states of all devices.
package enum DeviceDifference: Sendable, Equatable {
    /// The device was added.
    case appeared(DeviceRecord)
    /// The device was removed.
    case disappeared(DeviceRecord)
    /// The device has another driver, node, type or subsystem.
    case altered(DeviceRecord)

    /// The device as it is now, or as it was if it was removed.
    package var record: DeviceRecord {
        switch self {
        case .appeared(let record), .disappeared(let record), .altered(let record): record
        }
    }

    /// The action of the event, as the kernel would name it.
    package var action: String {
        switch self {
        case .appeared: "add"
        case .disappeared: "remove"
        case .altered: "change"
        }
    }
}
