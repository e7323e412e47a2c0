/// A page of a snapshot's content, which is split such that two snapshots share the pages without a difference.
///
/// The names in a page determine its end, not their number, unless the page exceeds 32 KiB: an added or removed entry
/// changes the page that it is in, and perhaps the next one.
struct SnapshotPage {
    private static let settingsMark = UInt8(ascii: "S")
    private static let resourcesMark = UInt8(ascii: "R")
    /// The size in bytes beyond which a page ends in any case.
    private static let enough = 32 << 10

    /// The page's bytes, which are stored as an object.
    private(set) var bytes: [UInt8]
    /// The hashes of the mementos of the page's resources.
    private(set) var children: [ObjectHash] = []

    private init(mark: UInt8) { bytes = [mark] }

    /// Splits settings, sorted by the bytes of their paths, into pages.
    static func pages(of settings: [SnapshotSetting]) -> [SnapshotPage] {
        cut(settings, mark: settingsMark, name: { $0.path }, meanNames: 64) { setting, page in
            page.append(setting.path.utf8)
            page.bytes.append(setting.value == nil ? 0 : 1)
            if let value = setting.value { page.append(value.utf8) }
        }
    }

    /// Splits resources, sorted by the bytes of their names, into pages.
    static func pages(of resources: [SnapshotItem]) -> [SnapshotPage] {
        cut(resources, mark: resourcesMark, name: { $0.resource }, meanNames: 32) { item, page in
            page.append(item.resource.utf8)
            page.append(item.adapter.utf8)
            page.bytes.append((item.isSecret ? 1 : 0) | (item.hash == nil ? 0 : 2))
            page.append(number: item.size)
            if let hash = item.hash {
                hash.append(to: &page.bytes)
                page.children.append(hash)
            }
        }
    }

    private static func cut<Entry>(
        _ entries: [Entry], mark: UInt8, name: (Entry) -> String, meanNames: UInt32,
        _ append: (Entry, inout SnapshotPage) -> Void
    ) -> [SnapshotPage] {
        var pages: [SnapshotPage] = []
        var page: SnapshotPage?
        for entry in entries {
            var current = page ?? SnapshotPage(mark: mark)
            page = nil
            append(entry, &current)
            if ends(name(entry)) % meanNames == 0 || current.bytes.count > enough {
                pages.append(current)
            } else {
                page = current
            }
        }
        if let page { pages.append(page) }
        return pages
    }

    /// Returns a hash of a name that is the same in every snapshot (FNV-1a, mixed once more).
    private static func ends(_ name: String) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        hash = (hash ^ hash >> 16) &* 0x85eb_ca6b
        return hash ^ hash >> 13
    }

    private mutating func append(_ text: String.UTF8View) {
        append(number: Int64(text.count))
        bytes += text
    }

    private mutating func append(number: Int64) {
        var rest = UInt64(bitPattern: number)
        // Seven bits a byte, the lowest first; the highest bit is 1 if more bytes follow.
        while rest > 0x7f {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    // MARK: Reading

    /// Decodes a page of settings; nil if the bytes are not a valid one.
    static func settings(_ bytes: [UInt8]) -> [SnapshotSetting]? {
        read(bytes, mark: settingsMark) { rest in
            guard let path = text(&rest), let kind = rest.popFirst(), kind <= 1 else { return nil }
            if kind == 0 { return SnapshotSetting(path: path, value: nil) }
            return text(&rest).map { SnapshotSetting(path: path, value: $0) }
        }
    }

    /// Decodes a page of resources; nil if the bytes are not a valid one.
    static func resources(_ bytes: [UInt8]) -> [SnapshotItem]? {
        read(bytes, mark: resourcesMark) { rest in
            guard let resource = text(&rest), let adapter = text(&rest), let flags = rest.popFirst(), flags <= 3,
                let size = number(&rest)
            else { return nil }
            var hash: ObjectHash?
            if flags & 2 != 0 {
                hash = ObjectHash(digest: rest.prefix(32))
                guard hash != nil else { return nil }
                rest = rest.dropFirst(32)
            }
            return SnapshotItem(
                resource: resource, adapter: adapter, isSecret: flags & 1 != 0, size: size, hash: hash)
        }
    }

    private static func read<Entry>(
        _ bytes: [UInt8], mark: UInt8, _ entry: (inout ArraySlice<UInt8>) -> Entry?
    ) -> [Entry]? {
        var rest = bytes[...]
        guard rest.popFirst() == mark else { return nil }
        var entries: [Entry] = []
        while !rest.isEmpty {
            guard let next = entry(&rest) else { return nil }
            entries.append(next)
        }
        return entries
    }

    private static func text(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let count = number(&rest), count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return String(validating: rest.prefix(Int(count)), as: UTF8.self)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 56, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return Int64(value) }
        }
        return nil
    }
}
