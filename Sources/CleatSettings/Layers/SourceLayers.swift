package import CleatJSON

/// The contents of the board's files about its settings: the schema, the layers below the committed one, and the locks.
package struct SettingsSources: Sendable {
    /// The schema of the settings.
    package var schema: Schema
    /// The vendor's defaults, the lowest file first: a later file overrides an earlier one.
    package var vendor: [SettingsFile]
    /// The factory data, written once in production.
    package var factory: SettingsFile?
    /// The locks that pin paths to a layer.
    package var locks: [SettingLock]

    /// Makes sources.
    package init(
        schema: Schema, vendor: [SettingsFile] = [], factory: SettingsFile? = nil, locks: [SettingLock] = []
    ) {
        self.schema = schema
        self.vendor = vendor
        self.factory = factory
        self.locks = locks
    }
}

/// A file of values for settings: the vendor's defaults or factory data.
package struct SettingsFile: Sendable, Hashable {
    /// The path of the file.
    package var file: String
    /// The tree of its values, an object.
    package var values: JSONValue

    /// Makes a file from values that were read.
    package init(file: String, values: JSONValue) {
        self.file = file
        self.values = values
    }
}

/// The schema, the locks and the layers below the committed one, prepared for lookups.
package final class SourceLayers: Sendable {
    /// The most settings that the files of one layer may contain.
    package static let maximumCount = 100_000

    /// The schema of the settings.
    package let schema: Schema
    /// The locks that pin paths to a layer.
    package let locks: LockTable
    /// The vendor's defaults of all files, without the refused values.
    package let vendor: SettingsTree
    /// The factory data, without the refused values.
    package let factory: SettingsTree
    /// The values that the schema refuses, in the order of the files.
    package let refused: [RefusedDefault]

    private let vendorFiles: [String]
    /// The index of the file of each vendor default; there is no entry for those of the first file.
    private let vendorPlaces: [SettingPath: Int]
    private let factoryFile: String?

    /// Splits the files of each layer into leaves.
    ///
    /// - Parameter sources: the contents of the board's files.
    package init(_ sources: SettingsSources) {
        schema = sources.schema
        locks = LockTable(
            sources.locks.map { lock in
                // A lock on a setting that was renamed since also applies to its new name.
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

    /// Returns the value of a file that the schema refuses; of several in one layer the last.
    package func refusedValue(_ layer: ResolvedSetting.Origin, at path: SettingPath) -> JSONValue? {
        refused.last { $0.layer == layer && $0.path == path }?.value
    }

    /// Returns the file of a layer's value; nil if no file has one.
    package func file(of layer: ResolvedSetting.Origin, at path: SettingPath) -> String? {
        switch layer {
        case .vendor where vendor[path] != nil: vendorFiles[vendorPlaces[path] ?? 0]
        case .factory where factory[path] != nil: factoryFile
        case .vendor, .factory: refused.last { $0.layer == layer && $0.path == path }?.file
        default: nil
        }
    }
}

/// A value in a file of defaults or factory data that is not in force because the schema refuses it.
package struct RefusedDefault: Sendable, Hashable {
    /// The layer of the file.
    package let layer: ResolvedSetting.Origin
    /// The file.
    package let file: String
    /// The value.
    package let value: JSONValue
    /// The path of the value and the reason for the refusal.
    package let problem: SettingProblem

    /// The path of the value.
    package var path: SettingPath { problem.path }
}

/// Reads the values of files into a tree, one file over the other.
private struct SourceReader {
    let schema: Schema
    var refused: [RefusedDefault] = []

    /// Reads one file.
    ///
    /// - Returns: the differences that the file makes.
    mutating func read(
        _ file: SettingsFile, layer: ResolvedSetting.Origin, into tree: inout SettingsTree
    ) -> [SettingDifference] {
        var differences: [SettingDifference] = []
        var leaves: [(path: SettingPath, value: JSONValue)] = []
        collect(file.values, nil, file, layer, into: &leaves)
        rename(&leaves)
        for (path, value) in leaves {
            if value.isNull {
                // A null in a later file removes the value of an earlier one.
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

    /// Moves values at former names to the new ones, unless the file has a value there: factory data is never
    /// rewritten.
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
                    path: path, value: nil, code: .key, reason: "has a member with an invalid name: \(error)")
                refused.append(RefusedDefault(layer: layer, file: file.file, value: member, problem: problem))
            }
        }
    }
}
