import CleatIO

/// A page of a snapshot's content, which is split such that two snapshots share the pages without a difference.
///
/// The names in a page determine its end, not their number, unless the page exceeds 32 KiB: an added or removed entry
/// changes the page that it is in, and perhaps the next one.
struct SnapshotPage {
    private static let settingsMark = UInt8(ascii: "S")
    private static let resourcesMark = UInt8(ascii: "R")
    /// The size in bytes beyond which a page ends in any case.
    private static let enough = 32 << 10

    private var writer: ByteWriter
    /// The page's bytes, which are stored as an object.
    var bytes: [UInt8] { writer.bytes }
    /// The hashes of the mementos of the page's resources.
    private(set) var children: [ObjectHash] = []

    private init(mark: UInt8) { writer = ByteWriter([mark]) }

    /// Splits settings, sorted by the bytes of their paths, into pages.
    static func pages(of settings: [SnapshotSetting]) -> [SnapshotPage] {
        cut(settings, mark: settingsMark, name: { $0.path }, meanNames: 64) { setting, page in
            page.writer.text(setting.path)
            page.writer.number(UInt8(setting.value == nil ? 0 : 1))
            if let value = setting.value { page.writer.text(value) }
        }
    }

    /// Splits resources, sorted by the bytes of their names, into pages.
    static func pages(of resources: [SnapshotItem]) -> [SnapshotPage] {
        cut(resources, mark: resourcesMark, name: { $0.resource }, meanNames: 32) { item, page in
            page.writer.text(item.resource)
            page.writer.text(item.adapter)
            page.writer.number(UInt8((item.isSecret ? 1 : 0) | (item.hash == nil ? 0 : 2)))
            page.writer.number(UInt64(bitPattern: item.size))
            if let hash = item.hash {
                page.writer.write { hash.append(to: &$0) }
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
        func add(_ byte: UInt8) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        // The bytes of a buffer are read much faster than those of a text.
        let isDone: Void? = unsafe name.utf8.withContiguousStorageIfAvailable { bytes in
            for index in bytes.indices { unsafe add(bytes[index]) }
        }
        if isDone == nil { name.utf8.forEach(add) }
        hash = (hash ^ hash >> 16) &* 0x85eb_ca6b
        return hash ^ hash >> 13
    }

    // MARK: Reading

    /// Decodes a page of settings; nil if the bytes are not a valid one.
    static func settings(_ bytes: [UInt8]) -> [SnapshotSetting]? {
        read(bytes, mark: settingsMark) { reader throws(MalformedBytes) in
            let path = try reader.text()
            let hasValue = try reader.number(UInt8.self, upTo: 1) == 1
            return SnapshotSetting(path: path, value: hasValue ? try reader.text() : nil)
        }
    }

    /// Decodes a page of resources; nil if the bytes are not a valid one.
    static func resources(_ bytes: [UInt8]) -> [SnapshotItem]? {
        read(bytes, mark: resourcesMark) { reader throws(MalformedBytes) in
            let (resource, adapter) = (try reader.text(), try reader.text())
            let flags = try reader.number(UInt8.self, upTo: 3)
            let size = Int64(try reader.number(UInt64.self, upTo: UInt64(Int64.max)))
            let hash = flags & 2 != 0 ? ObjectHash(digest: try reader.bytes(32)) : nil
            return SnapshotItem(
                resource: resource, adapter: adapter, isSecret: flags & 1 != 0, size: size, hash: hash)
        }
    }

    private static func read<Entry>(
        _ bytes: [UInt8], mark: UInt8, _ entry: (inout ByteReader) throws(MalformedBytes) -> Entry
    ) -> [Entry]? {
        var reader = ByteReader(bytes)
        do throws(MalformedBytes) {
            guard try reader.number(UInt8.self) == mark else { return nil }
            var entries: [Entry] = []
            while !reader.isAtEnd { entries.append(try entry(&reader)) }
            return entries
        } catch {
            return nil
        }
    }
}
