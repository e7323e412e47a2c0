import CleatJSON

/// Finds the paths of one page of a listing that hold a default because nobody set them.
///
/// It looks at the schema and at the rows of the page only: the defaults of a map's entry stand among the entry's rows,
/// or after its last one, which the path that the page before ended at tells.
struct UnsetDefaults {
    let settings: LayeredSettings
    let after: SettingPath?
    private(set) var found: [(path: SettingPath, node: SchemaNode)] = []

    init(settings: LayeredSettings, after: SettingPath?) {
        self.settings = settings
        self.after = after
    }

    mutating func find(under prefix: SettingPath?, rows: [SettingsTree.Row]) {
        guard let node = prefix.map(settings.schema.lookup) ?? settings.schema.root, node.hasDefaults else { return }
        if let prefix, case .entry = settings.schema.place(of: prefix), !settings.committed.contains(prefix) { return }
        collect(node, prefix, rows[...])
    }

    private mutating func collect(_ node: SchemaNode, _ path: SettingPath?, _ rows: ArraySlice<SettingsTree.Row>) {
        guard node.hasDefaults else { return }
        guard node.isInterior else {
            guard let path, settings.committed[path] == nil, after.map({ $0 < path }) ?? true else { return }
            found.append((path, node))
            return
        }
        let start = path?.prefixText ?? ""
        if let after, !ByteOrder.starts(after.text, with: start), ByteOrder.precedes(start, after.text) { return }
        for (name, property) in node.object.properties {
            let below = SettingPath(trusted: start + SettingPath.escaped(name))
            collect(property, below, Self.rows(rows, at: below))
        }
        guard node.object.entryKinds.contains(where: { $0.hasDefaults && $0.isInterior }) else { return }
        for segment in segments(below: start, rows) {
            let name = SettingPath.unescaped(segment[...])
            guard node.object.property(name) == nil, let entry = node.object.entry(name), entry.hasDefaults,
                entry.isInterior, node.object.propertyNames?.firstProblem(with: .string(name)) == nil
            else { continue }
            let below = SettingPath(trusted: start + segment)
            collect(entry, below, Self.rows(rows, at: below))
        }
    }

    /// The names, as written, of the entries whose defaults may stand on this page.
    private func segments(below start: String, _ rows: ArraySlice<SettingsTree.Row>) -> Set<String> {
        let bytes = start.utf8.count
        var segments: Set<String> = []
        var last = ""
        for row in rows where ByteOrder.starts(row.path.text, with: start) {
            let segment = String(row.path.segmentText(belowBytes: bytes))
            if !ByteOrder.areEqual(segment, last) {
                segments.insert(segment)
                last = segment
            }
        }
        guard let after, ByteOrder.starts(after.text, with: start) else { return segments }
        // The page before may have ended inside an entry, or, at `b-c`, between the entry `b` and what stands below it.
        let segment = after.segmentText(belowBytes: bytes)
        for end in segment.unicodeScalars.indices.dropFirst() + [segment.endIndex] {
            let name = String(segment[..<end])
            if let below = try? SettingPath(start + name), settings.committed.contains(below) { segments.insert(name) }
        }
        return segments
    }

    /// The rows at a path and below it.
    private static func rows(
        _ rows: ArraySlice<SettingsTree.Row>, at path: SettingPath
    ) -> ArraySlice<SettingsTree.Row> {
        // Between `b` and `b/…` others such as `b-c` may stand; they are passed over where names are gathered.
        let low = SettingsTree.partition(rows.count) { rows[rows.startIndex + $0].path < path } + rows.startIndex
        let end = path.text + "0"
        let high =
            SettingsTree.partition(rows.count) { ByteOrder.precedes(rows[rows.startIndex + $0].path.text, end) }
            + rows.startIndex
        return rows[low..<max(low, high)]
    }
}
