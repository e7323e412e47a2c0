import CleatAPI
import CleatJSON
import CleatSandbox
import CleatStore

/// Writes and reads snapshots as files: one JSON object a line, as `docs/snapshots.md` has them.
enum SnapshotFile {
    static let format: Int64 = 1
    /// The bytes of the longest file that is read.
    static let largest: Int64 = 48 << 20

    /// The first line.
    static func header(_ snapshot: StoredSnapshot) -> String {
        var fields: JSONObject = [
            "cleat": "snapshot", "format": .integer(format), "name": .string(snapshot.name),
            "store": .string(snapshot.generation.store), "generation": .integer(snapshot.generation.generation),
            "time": .integer(snapshot.stamp.time), "boot_id": .string(snapshot.stamp.bootID),
            "boot_time": .integer(snapshot.stamp.bootTime), "synchronised": .bool(snapshot.stamp.synchronised),
            "author": .string(snapshot.author),
        ]
        if let comment = snapshot.comment { fields["comment"] = .string(comment) }
        fields["settings"] = .integer(Int64(snapshot.settings))
        fields["resources"] = .integer(Int64(snapshot.resources))
        return line(fields)
    }

    /// The line of a setting; without its value where it is left out.
    static func line(_ setting: SnapshotSetting, isLeftOut: Bool) -> String {
        guard let value = setting.json, !isLeftOut else {
            return line(["setting": .string(setting.path), "left_out": true])
        }
        return line(["setting": .string(setting.path), "value": value])
    }

    /// The line of a resource; without what it was where that is left out.
    static func line(_ item: SnapshotItem, _ state: [UInt8]?) -> String {
        var fields: JSONObject = ["resource": .string(item.resource), "adapter": .string(item.adapter)]
        guard let state, let hash = item.hash else {
            fields["left_out"] = true
            return line(fields)
        }
        fields["secret"] = .bool(item.isSecret)
        fields["sha256"] = .string(hash.description)
        fields["content"] = .string(Base64.encode(state))
        return line(fields)
    }

    /// The last line: the hash of all that stands before it.
    static func end(_ digest: consuming SHA256) -> String {
        line(["sha256": .string(SHA256.hexadecimal(digest.finalize()))])
    }

    private static func line(_ fields: JSONObject) -> String {
        // With its line feed, as the compact style writes none.
        JSONWriter.write(.object(fields), style: .compact) + "\n"
    }
}
