import CleatAPI
import CleatHash
import CleatJSON
import CleatSettings
import CleatStore

/// Formats snapshots as files: one JSON object per line, as specified in `docs/snapshots.md`.
enum SnapshotFile {
    static let format: Int64 = 1
    /// The maximum size in bytes of a file that is read.
    static let largest: Int64 = 48 << 20

    /// Returns the first line.
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

    /// Returns the line of a setting; without its value if it is omitted.
    static func line(_ setting: SnapshotSetting, isLeftOut: Bool) -> String {
        guard let value = setting.json, !isLeftOut else {
            return line(["setting": .string(setting.path), "omitted": true])
        }
        return line(["setting": .string(setting.path), "value": value])
    }

    /// Returns the line of a resource; without its state if that is omitted.
    static func line(_ item: SnapshotItem, _ state: [UInt8]?) -> String {
        var fields: JSONObject = ["resource": .string(item.resource), "adapter": .string(item.adapter)]
        guard let state, let hash = item.hash else {
            fields["omitted"] = true
            return line(fields)
        }
        fields["secret"] = .bool(item.isSecret)
        fields["sha256"] = .string(hash.description)
        fields["content"] = .string(Base64.encode(state))
        return line(fields)
    }

    /// Returns the last line: the hash of all lines before it.
    static func end(_ digest: consuming SHA256) -> String {
        line(["sha256": .string(SHA256.hexadecimal(digest.finalize()))])
    }

    private static func line(_ fields: JSONObject) -> String {
        // The line feed is added here, as the compact style writes none.
        JSONWriter.write(.object(fields), style: .compact) + "\n"
    }
}
