import CleatJSON

/// Finds the unset paths of one page of a listing that have a default.
///
/// It reads only the schema and the paths of the page. The defaults of a map's entry are between the entry's paths or
/// after its last one; in the second case the last path of the page before identifies the entry.
struct UnsetDefaults {
    let settings: LayeredSettings
    let after: SettingPath?
    private(set) var found: [(path: SettingPath, node: SchemaNode)] = []

    init(settings: LayeredSettings, after: SettingPath?) {
        self.settings = settings
        self.after = after
    }

    mutating func find(under prefix: SettingPath?, paths: [SettingPath]) {
        guard let node = prefix.map(settings.schema.lookup) ?? settings.schema.root, node.hasDefaults else { return }
        if let prefix, case .entry = settings.schema.place(of: prefix), !settings.hasRows(at: prefix) { return }
        collect(node, prefix, paths[...])
    }

    private mutating func collect(_ node: SchemaNode, _ path: SettingPath?, _ paths: ArraySlice<SettingPath>) {
        guard node.hasDefaults else { return }
        guard node.isInterior else {
            guard let path, after.map({ $0 < path }) ?? true, hasNoRow(at: path, node) else { return }
            found.append((path, node))
            return
        }
        let start = path?.prefixText ?? ""
        if let after, !ByteOrder.starts(after.text, with: start), ByteOrder.precedes(start, after.text) { return }
        for (name, property) in node.object.properties {
            let below = SettingPath(trusted: start + SettingPath.escaped(name))
            collect(property, below, Self.part(of: paths, at: below))
        }
        guard node.object.entryKinds.contains(where: { $0.hasDefaults && $0.isInterior }) else { return }
        for segment in segments(below: start, paths) {
            let name = SettingPath.unescaped(segment[...])
            guard node.object.property(name) == nil, let entry = node.object.entry(name), entry.hasDefaults,
                entry.isInterior, node.object.propertyNames?.firstProblem(with: .string(name)) == nil
            else { continue }
            let below = SettingPath(trusted: start + segment)
            collect(entry, below, Self.part(of: paths, at: below))
        }
    }

    /// Returns the names, as written, of the entries whose defaults may be on this page.
    private func segments(below start: String, _ paths: ArraySlice<SettingPath>) -> Set<String> {
        let bytes = start.utf8.count
        var segments: Set<String> = []
        var last = ""
        for path in paths where ByteOrder.starts(path.text, with: start) {
            let segment = String(path.segmentText(belowBytes: bytes))
            if !ByteOrder.areEqual(segment, last) {
                // Rows that a lock excludes do not make an entry exist.
                if settings.locks.isEmpty || settings.hasRows(at: SettingPath(trusted: start + segment)) {
                    segments.insert(segment)
                }
                last = segment
            }
        }
        guard let after, ByteOrder.starts(after.text, with: start) else { return segments }
        // The page before may have ended inside an entry, or, at `b-c`, between the entry `b` and the paths below it.
        let segment = after.segmentText(belowBytes: bytes)
        for end in segment.unicodeScalars.indices.dropFirst() + [segment.endIndex] {
            let name = String(segment[..<end])
            if let below = try? SettingPath(start + name), settings.hasRows(at: below) { segments.insert(name) }
        }
        return segments
    }

    /// Returns the paths at a path and below it.
    private static func part(of paths: ArraySlice<SettingPath>, at path: SettingPath) -> ArraySlice<SettingPath> {
        // Paths such as `b-c` may be between `b` and `b/…`; they are skipped when names are gathered.
        let low = SettingsTree.partition(paths.count) { paths[paths.startIndex + $0] < path } + paths.startIndex
        let end = path.text + "0"
        let high =
            SettingsTree.partition(paths.count) { ByteOrder.precedes(paths[paths.startIndex + $0].text, end) }
            + paths.startIndex
        return paths[low..<max(low, high)]
    }

    /// Returns true if no layer has a row at a path, so that a listing still has to include its default.
    private func hasNoRow(at path: SettingPath, _ node: SchemaNode) -> Bool {
        guard LayeredSettings.stored.allSatisfy({ settings[$0][path] == nil }) else { return false }
        return !node.types.isEmpty || !settings.hasRows(below: path)
    }
}
