import CleatOrder

/// The record of a snapshot that is about to be made, and the objects that it needs and the store does not have.
struct SnapshotPlan {
    let record: SnapshotRecord
    /// The objects that are new or replace damaged ones.
    private(set) var objects: [ObjectHash: [UInt8]]
    /// The bytes of all objects of the snapshot.
    private(set) var bytes: Int64
    /// The bytes of the objects that are new or replace damaged ones.
    var added: Int64 { objects.values.reduce(0) { $0 + Int64($1.count) } }
    /// The recorded bytes of the damaged objects that are replaced.
    private(set) var replaced: Int64
    /// The objects that the request only refers to, and the store does not have.
    private(set) var missing: [ObjectHash] = []

    /// Finds the objects of a snapshot that the store does not have, or has damaged.
    ///
    /// If the store has a page, it also has the objects that the page names. An imported snapshot is compared byte by
    /// byte, since an import can repair damaged objects. A captured one is not, since the second snapshot should cost
    /// only what differs.
    init(
        _ request: SnapshotRequest, with settings: [SnapshotSetting], in tables: SnapshotTables,
        _ known: inout PageHashes
    ) throws(SQLiteError) {
        bytes = 0
        var states: [ObjectHash: SnapshotRequest.State] = [:]
        var items: [SnapshotItem] = []
        states.reserveCapacity(request.resources.count)
        items.reserveCapacity(request.resources.count)
        for resource in request.resources.ordered(by: { $0.resource.precedes($1.resource) }) {
            if let state = resource.state { states[state.hash] = state }
            bytes += resource.state?.size ?? 0
            items.append(
                SnapshotItem(
                    resource: resource.resource, adapter: resource.adapter, isSecret: resource.isSecret,
                    size: resource.state?.size ?? 0, hash: resource.state?.hash))
        }
        let isImported = request.settings != nil
        objects = [:]
        var numbers: [[ObjectHash]] = []
        var used = PageHashes()
        for pages in [SnapshotPage.pages(of: settings), SnapshotPage.pages(of: items)] {
            var hashes: [ObjectHash] = []
            for page in pages {
                let (hash, isThere) = try known.find(page.bytes, in: tables)
                used.add(page.bytes, hash)
                hashes.append(hash)
                bytes += Int64(page.bytes.count)
                if isThere, !isImported { continue }
                if !isThere { objects[hash] = page.bytes }
                for child in page.children {
                    guard let state = states[child] else { continue }
                    // An object with another size is damaged, and is written again; bytes are compared when they are
                    // read.
                    let isKept =
                        isImported
                        ? try tables.object(child) == state.bytes
                        : try tables.size(of: child) == state.size
                    if isKept { continue }
                    if let bytes = state.bytes { objects[child] = bytes } else { missing.append(child) }
                }
            }
            numbers.append(hashes)
        }
        known = used
        replaced = 0
        for hash in objects.keys { replaced += try tables.statedSize(of: hash) }
        record = SnapshotRecord(request, settings: settings.count, settingPages: numbers[0], resourcePages: numbers[1])
    }
}
