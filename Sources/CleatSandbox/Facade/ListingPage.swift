internal import CleatIO
import CleatOrder
internal import SystemPackage

/// Collects one page of a listing and keeps no more entries of each directory than fit in the page.
///
/// In byte order `a-b` is between `a` and `a/b`. So a directory is sorted in twice: as itself, and, with a slash
/// appended to its name, as its contents.
struct ListingPage {
    let limit: Int
    let after: SandboxPath?
    let recursive: Bool
    private(set) var listing = Listing()

    init(limit: Int, after: SandboxPath?, recursive: Bool) {
        self.limit = limit
        self.after = after
        self.recursive = recursive
    }

    /// Lists a directory into the page.
    mutating func fill(
        from directory: Descriptor, _ path: SandboxPath, calls: any SandboxCalls
    ) throws(Errno) {
        let device = try calls.attributes(of: directory.descriptor).identity.device
        for item in try items(of: directory, path, on: device, calls: calls) {
            if listing.hasMore { return }
            if !item.isContent {
                if listing.entries.count == limit {
                    listing.hasMore = true
                    return
                }
                listing.entries.append(FileEntry(path: item.path, attributes: item.attributes))
                continue
            }
            // Recursion ends at a depth of 16: a deeper path is not valid.
            guard let opened = try open(item.path, in: directory, calls: calls) else { continue }
            try fill(from: opened, item.path, calls: calls)
        }
    }

    private struct Item {
        var path: SandboxPath
        var attributes: FileAttributes
        /// True if it represents the contents of the directory.
        var isContent: Bool

        func precedes(_ other: Item) -> Bool {
            let (left, right) = (path.text.utf8, other.path.text.utf8)
            if isContent == other.isContent, !isContent { return path < other.path }
            let slash = [UInt8(ascii: "/")]
            return (Array(left) + (isContent ? slash : []))
                .lexicographicallyPrecedes(Array(right) + (other.isContent ? slash : []))
        }
    }

    private mutating func items(
        of directory: Descriptor, _ path: SandboxPath, on device: UInt64, calls: any SandboxCalls
    ) throws(Errno) -> [Item] {
        var items: [Item] = []
        var unnameable = 0
        var failure: Errno?
        // One more than fits in the page shows that there are more; at twice as many, the surplus is dropped.
        let kept = limit - listing.entries.count + 1
        try calls.names(in: directory.descriptor) { name in
            if name.isReserved { return true }
            guard let text = name.text, let path = try? path.appending(text) else {
                unnameable += 1
                return true
            }
            do throws(Errno) {
                let isBehind = after.map { $0 < path } ?? true
                let isEntered = recursive && mayHoldMore(path)
                guard isBehind || isEntered else { return true }
                let attributes = try calls.attributes(of: name, in: directory.descriptor)
                if isBehind { items.append(Item(path: path, attributes: attributes, isContent: false)) }
                if isEntered, attributes.type == .directory, attributes.identity.device == device {
                    items.append(Item(path: path, attributes: attributes, isContent: true))
                }
                if items.count >= 2 * kept + 64 { Self.trim(&items, to: kept) }
            } catch {
                if error != .noSuchFileOrDirectory { failure = error }
            }
            return failure == nil
        }
        if let failure { throw failure }
        Self.trim(&items, to: kept)
        listing.unnameable += unnameable
        return items
    }

    /// Returns true if a directory can contain entries after the previous page.
    private func mayHoldMore(_ path: SandboxPath) -> Bool {
        guard let after else { return true }
        let content = Array(path.text.utf8) + [UInt8(ascii: "/")]
        return after.text.utf8.starts(with: content) || after.text.utf8.lexicographicallyPrecedes(content)
    }

    private static func trim(_ items: inout [Item], to count: Int) {
        items = items.ordered { $0.precedes($1) }
        // A directory that turns out to be empty adds nothing to the page, so only entries are counted.
        var entries = 0
        if let end = items.firstIndex(where: { item in
            if !item.isContent { entries += 1 }
            return entries > count
        }) {
            items.removeSubrange(end...)
        }
    }

    private func open(_ path: SandboxPath, in directory: Descriptor, calls: any SandboxCalls) throws(Errno)
        -> Descriptor?
    {
        do throws(Errno) {
            return Descriptor(
                owning: try repeated { () throws(Errno) in
                    try calls.open(FileName(path.name ?? ""), in: directory.descriptor, for: .list)
                })
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory || error == .permissionDenied { return nil }
            throw error
        }
    }
}
