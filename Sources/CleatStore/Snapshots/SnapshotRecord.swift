import CleatSettings

/// A row of `snapshots`.
struct SnapshotRecord: Equatable {
    var name: String
    var generation: GenerationRef
    var stamp: CommitStamp
    var author: String
    var importer: String?
    var comment: String?
    var settings: Int
    var resources: Int
    var settingPages: [ObjectHash]
    var resourcePages: [ObjectHash]
    /// True if the row is intact: the hash of its fields is the stored one.
    var isWhole = true

    /// The pages, those of the settings first.
    var pages: [ObjectHash] { settingPages + resourcePages }

    /// The hash of all fields.
    var hash: ObjectHash {
        var bytes = Array("cleat-snapshot-1\n".utf8)
        let words = [name, generation.store, stamp.bootID, author, comment ?? "", importer ?? ""]
        let numbers = [
            generation.generation, stamp.time, stamp.bootTime, stamp.synchronised ? 1 : 0, comment == nil ? 0 : 1,
            importer == nil ? 0 : 1,
            Int64(settings), Int64(resources), Int64(settingPages.count),
        ]
        for word in words { bytes += Array("\(word.utf8.count):\(word)".utf8) }
        for number in numbers { bytes += Array("\(number)\n".utf8) }
        for page in pages { bytes += page.bytes }
        return ObjectHash(of: bytes)
    }

    static let columns = """
        name, store, generation, time, boot_id, boot_time, synchronised, author, comment, settings, resources, \
        setting_pages, resource_pages, importer, hash
        """

    /// The values of the columns.
    var values: [SQLiteValue] {
        [
            .text(name), .text(generation.store), .integer(generation.generation), .integer(stamp.time),
            .text(stamp.bootID), .integer(stamp.bootTime), .integer(stamp.synchronised ? 1 : 0), .text(author),
            .optional(comment), .integer(Int64(settings)), .integer(Int64(resources)),
            .blob(settingPages.flatMap(\.bytes)), .blob(resourcePages.flatMap(\.bytes)), .optional(importer),
            .blob(hash.bytes),
        ]
    }

    init(_ request: SnapshotRequest, settings: Int, settingPages: [ObjectHash], resourcePages: [ObjectHash]) {
        name = request.name
        generation = request.generation
        stamp = request.stamp
        author = request.author
        importer = request.importer
        comment = request.comment
        self.settings = settings
        resources = request.resources.count
        self.settingPages = settingPages
        self.resourcePages = resourcePages
    }

    init(_ row: Statement) throws(SQLiteError) {
        name = try row.column(0)
        generation = GenerationRef(store: try row.column(1), generation: try row.column(2))
        stamp = CommitStamp(
            time: try row.column(3), bootID: try row.column(4), bootTime: try row.column(5),
            synchronised: try row.column(6))
        author = try row.column(7)
        comment = try row.column(8)
        settings = Int(clamping: try row.column(9, as: Int64.self))
        resources = Int(clamping: try row.column(10, as: Int64.self))
        let settingPages = ObjectHash.list(try row.column(11))
        let resourcePages = ObjectHash.list(try row.column(12))
        self.settingPages = settingPages ?? []
        self.resourcePages = resourcePages ?? []
        importer = try row.column(13)
        let written = ObjectHash.list(try row.column(14))
        isWhole = settingPages != nil && resourcePages != nil && written == [hash]
    }
}
