import CleatAPI
import CleatAdapters
import CleatHash
import CleatJSON
import CleatSettings
import CleatStore

/// Reads an exported snapshot without trusting it: the first problem is reported.
struct SnapshotFileReader {
    private var lines: SnapshotLines
    private static let limits = JSONLimits(size: 4 << 20, stringBytes: 2 << 20)

    private init(_ bytes: [UInt8]) {
        lines = SnapshotLines(bytes)
    }

    /// Reads a file.
    ///
    /// - Throws: `invalidExport`, or `damagedObject` with the hash of the object.
    static func read(_ bytes: [UInt8]) throws(SnapshotsError) -> SnapshotRequest {
        var reader = SnapshotFileReader(bytes)
        return try reader.request()
    }

    private mutating func request() throws(SnapshotsError) -> SnapshotRequest {
        let header = try object()
        guard header["cleat"] == "snapshot" else { throw bad(0, "it is not a snapshot of Cleat") }
        guard header["format"] == .integer(SnapshotFile.format) else {
            throw bad(0, "its format is not \(SnapshotFile.format), the only one that this release reads")
        }
        guard let name = header["name"]?.stringValue, let store = header["store"]?.stringValue,
            let generation = header["generation"]?.integerValue, generation >= 0,
            let time = header["time"]?.integerValue, let bootID = header["boot_id"]?.stringValue,
            let bootTime = header["boot_time"]?.integerValue, let synchronised = header["synchronised"]?.boolValue,
            let author = header["author"]?.stringValue, let settings = header["settings"]?.integerValue,
            let resources = header["resources"]?.integerValue
        else { throw bad(0, "a header member is missing") }
        guard settings <= StoreLimits.changes else { throw bad(0, "it has more settings than a board can have") }
        // The first line and the last one are neither a setting nor a resource.
        let ends = lines.ends
        let whole = Int64(ends) - 2
        guard settings >= 0, resources >= 0, settings <= whole, resources <= whole, settings + resources == whole,
            lines.isEnded
        else { throw bad(ends, "it is truncated, or longer than its header states") }
        // A damaged object is reported by its name before the hash of the whole file is checked.
        var request = SnapshotRequest(
            name: name, generation: GenerationRef(store: store, generation: generation), settings: [], resources: [],
            author: author, comment: header["comment"]?.stringValue,
            stamp: CommitStamp(time: time, bootID: bootID, bootTime: bootTime, synchronised: synchronised))
        request.settings = try readSettings(Int(settings))
        request.resources = try readResources(Int(resources))
        var digest = SHA256()
        digest.update(lines.bytes.prefix(lines.position))
        let end = try object()
        let found = SHA256.hexadecimal(digest.finalize())
        guard end["sha256"]?.stringValue == found else {
            throw bad(ends - 1, "the hash of the preceding lines is \(found), which differs from the recorded one")
        }
        return request
    }

    private mutating func readSettings(_ count: Int) throws(SnapshotsError) -> [SnapshotSetting] {
        var settings: [SnapshotSetting] = []
        for _ in 0..<count {
            let index = lines.index
            let fields = try object()
            guard let path = fields["setting"]?.stringValue, (try? SettingPath(path)) != nil else {
                throw bad(index, "it has no path of a setting")
            }
            guard follows(path, settings.last?.path) else { throw bad(index, "“\(path)” is out of order") }
            let value = fields["value"]
            guard fields["omitted"] == true ? value == nil : value.map({ !$0.isNull }) == true else {
                throw bad(index, "“\(path)” has no value")
            }
            settings.append(SnapshotSetting(path: path, value: value?.canonicalText))
        }
        return settings
    }

    private mutating func readResources(_ count: Int) throws(SnapshotsError) -> [SnapshotRequest.Resource] {
        var resources: [SnapshotRequest.Resource] = []
        for _ in 0..<count {
            let index = lines.index
            let fields = try object()
            guard let name = fields["resource"]?.stringValue, let resource = Resource(text: name),
                resource.text == name, let adapter = fields["adapter"]?.stringValue
            else { throw bad(index, "it names no resource") }
            guard follows(name, resources.last?.resource) else { throw bad(index, "“\(name)” is out of order") }
            if fields["omitted"] == true, fields["content"] == nil {
                resources.append(.init(resource: name, adapter: adapter, isSecret: true, state: nil))
                continue
            }
            guard let hash = fields["sha256"]?.stringValue,
                let state = fields["content"]?.stringValue.flatMap(Base64.decode)
            else { throw bad(index, "“\(name)” has no content, or no hash") }
            guard SHA256.hexadecimal(of: state) == hash else {
                throw SnapshotsError(
                    .damagedObject, hash,
                    message:
                        "the object \(hash) (“\(name)”, line \(index + 1)) is damaged: its content has another hash; "
                        + "nothing was imported, export the snapshot again")
            }
            guard let memento = try? Memento(encoded: state), memento.resource == resource else {
                throw bad(index, "“\(name)” does not hold a state of this resource")
            }
            // Only a hash that anyone can compute protects the file.
            if let right = memento.specialRight {
                throw SnapshotsError(
                    .invalidExport, name,
                    message: "“\(name)” (line \(index + 1)) has \(right), which no import gives a file; nothing was "
                        + "imported, remove it from the file")
            }
            resources.append(
                .init(
                    resource: name, adapter: adapter, isSecret: fields["secret"]?.boolValue ?? true,
                    state: .init(state)))
        }
        return resources
    }

    private func follows(_ name: String, _ former: String?) -> Bool {
        former.map { $0.utf8.lexicographicallyPrecedes(name.utf8) } ?? true
    }

    /// Reads the next line.
    private mutating func object() throws(SnapshotsError) -> JSONObject {
        let index = lines.index
        guard let line = lines.next(), let value = try? JSONReader.read(line, limits: Self.limits),
            let object = value.objectValue
        else { throw bad(index, "it is not the expected JSON object") }
        return object
    }

    private func bad(_ index: Int, _ what: String) -> SnapshotsError {
        SnapshotsError(
            .invalidExport, "line \(index + 1)",
            message:
                "the file is not a whole export of a snapshot: line \(index + 1): \(what); nothing was imported, export "
                + "the snapshot again")
    }
}
