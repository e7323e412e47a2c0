package import CleatJSON

/// The schema, the locks and the layers below the committed one, made ready for lookups.
package final class SourceLayers: Sendable {
    /// The most settings that the files of one layer may bring.
    package static let maximumCount = 100_000

    /// What the paths may hold.
    package let schema: Schema
    /// What is pinned to a layer.
    package let locks: LockTable
    /// The vendor's defaults of all files, without those that are refused.
    package let vendor: SettingsTree
    /// What was written in production, without what is refused.
    package let factory: SettingsTree
    /// The values that the schema refuses, in the order of the files.
    package let refused: [RefusedDefault]

    private let vendorFiles: [String]
    /// Which file a vendor's default is from; left out where it is from the first.
    private let vendorPlaces: [SettingPath: Int]
    private let factoryFile: String?

    /// Takes the layers apart, leaf by leaf.
    ///
    /// - Parameter sources: what the board's files say.
    package init(_ sources: SettingsSources) {
        schema = sources.schema
        locks = LockTable(
            sources.locks.map { lock in
                // Whoever pinned a setting before it was renamed still means it.
                guard let path = lock.path, sources.schema.lookup(path) == nil else { return lock }
                var lock = lock
                lock.path = sources.schema.newName(of: path) ?? path
                return lock
            })
        var reader = SourceReader(schema: sources.schema)
        var tree = SettingsTree()
        var places: [SettingPath: Int] = [:]
        for (index, file) in sources.vendor.enumerated() {
            for difference in reader.read(file, layer: .vendor, into: &tree) {
                places[difference.path] = difference.new == nil || index == 0 ? nil : index
            }
        }
        vendor = tree
        vendorFiles = sources.vendor.map(\.file)
        vendorPlaces = places
        tree = SettingsTree()
        if let file = sources.factory { _ = reader.read(file, layer: .factory, into: &tree) }
        factory = tree
        factoryFile = sources.factory?.file
        refused = reader.refused
    }

    /// The value of a file that the schema refuses; of several in one layer the last.
    package func refusedValue(_ layer: ResolvedSetting.Origin, at path: SettingPath) -> JSONValue? {
        refused.last { $0.layer == layer && $0.path == path }?.value
    }

    /// The file that a layer has a value from; nil where no file says so.
    package func file(of layer: ResolvedSetting.Origin, at path: SettingPath) -> String? {
        switch layer {
        case .vendor where vendor[path] != nil: vendorFiles[vendorPlaces[path] ?? 0]
        case .factory where factory[path] != nil: factoryFile
        case .vendor, .factory: refused.last { $0.layer == layer && $0.path == path }?.file
        default: nil
        }
    }
}

/// Puts the values of files into a tree, one file over the other.
private struct SourceReader {
    let schema: Schema
    var refused: [RefusedDefault] = []

    /// Reads one file.
    ///
    /// - Returns: what the file makes different.
    mutating func read(
        _ file: SettingsFile, layer: ResolvedSetting.Origin, into tree: inout SettingsTree
    ) -> [SettingDifference] {
        var differences: [SettingDifference] = []
        var leaves: [(path: SettingPath, value: JSONValue)] = []
        collect(file.values, nil, file, layer, into: &leaves)
        rename(&leaves)
        for (path, value) in leaves {
            if value.isNull {
                // A later file takes away what an earlier one brought.
                tree.apply(Change(path, nil), recording: &differences)
                continue
            }
            let canonical = schema.canonical(value, at: path)
            if let problem = schema.problems(with: canonical, at: path).first {
                refused.append(RefusedDefault(layer: layer, file: file.file, value: value, problem: problem))
            } else if case .group = schema.place(of: path) {
                continue
            } else if tree.count >= SourceLayers.maximumCount, tree[path] == nil {
                let problem = SettingProblem(
                    path: path, value: nil, code: .limit,
                    reason: "is one too many: the files bring more than \(SourceLayers.maximumCount) settings")
                refused.append(RefusedDefault(layer: layer, file: file.file, value: value, problem: problem))
                break
            } else {
                tree.apply(Change(path, canonical), recording: &differences)
            }
        }
        return differences
    }

    /// Gives values at former names their new ones, unless the file has a value there: factory data is never rewritten.
    private func rename(_ leaves: inout [(path: SettingPath, value: JSONValue)]) {
        guard !schema.renames.isEmpty else { return }
        var taken = Set(leaves.map(\.path))
        for index in leaves.indices where schema.lookup(leaves[index].path) == nil {
            guard let name = schema.newName(of: leaves[index].path), taken.insert(name).inserted else { continue }
            leaves[index].path = name
        }
    }

    private mutating func collect(
        _ value: JSONValue, _ path: SettingPath?, _ file: SettingsFile, _ layer: ResolvedSetting.Origin,
        into leaves: inout [(path: SettingPath, value: JSONValue)]
    ) {
        guard case .object(let members) = value, !members.isEmpty else {
            if let path { leaves.append((path, value)) }
            return
        }
        for (name, member) in members {
            do {
                let below = try path.map { try $0.appending(name) } ?? SettingPath(segments: [name])
                collect(member, below, file, layer, into: &leaves)
            } catch {
                guard let path else { continue }
                let problem = SettingProblem(
                    path: path, value: nil, code: .key, reason: "has a member that is no name of a setting: \(error)")
                refused.append(RefusedDefault(layer: layer, file: file.file, value: member, problem: problem))
            }
        }
    }
}
