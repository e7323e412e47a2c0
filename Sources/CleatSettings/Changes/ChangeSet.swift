import CleatJSON

/// Holds changes that are applied whole or not at all, leaf by leaf and in the order of their paths.
///
/// The initializer splits objects as RFC 7396 does: each member is a change of its own, null unsets, and an empty
/// object is a map entry without settings. An empty object together with unsets below it empties an entry and keeps it.
/// Whole numbers are kept as integers.
public struct ChangeSet: Hashable, Sendable {
    /// The most changes in one set, counted after objects have been split.
    public static let maximumCount = 4096
    /// The most bytes that one value may take as compact JSON.
    public static let maximumValueBytes = 256 * 1024
    /// The most bytes that all values of a set may take as compact JSON.
    public static let maximumBytes = 4 * 1024 * 1024
    /// The largest size of one document that a change names, in bytes.
    package static let maximumDocumentBytes: Int64 = 1_000_000
    /// The deepest nesting of arrays and objects in a value.
    public static let maximumDepth = 32

    /// The changes, each of one leaf or of a subtree to unset, by the bytes of their paths.
    ///
    /// An entry that is emptied and kept comes after all unsets in it.
    public let changes: [Change]

    /// Makes a set.
    ///
    /// - Parameter changes: in any order. No path occurs twice, and none together with a path above it, except unsets
    ///   below an empty object.
    /// - Throws: the reason why the changes cannot be in one set.
    public init(_ changes: [Change]) throws(ChangeSetError) {
        if changes.count > Self.maximumCount { throw Self.tooMany }
        var total = 0
        for change in changes {
            guard let value = change.value else { continue }
            let size = try Self.measure(value, of: change.path, depth: 1)
            if size > Self.maximumValueBytes {
                throw ChangeSetError(
                    .valueTooLarge, change.path, limit: Self.maximumValueBytes,
                    "the value of \(change.path) takes more than \(Self.maximumValueBytes) bytes; make it smaller, "
                        + "or keep it in a file")
            }
            total += size
        }
        if total > Self.maximumBytes {
            throw ChangeSetError(
                .valueTooLarge, nil, limit: Self.maximumBytes,
                "the values of the changes take more than \(Self.maximumBytes) bytes together; "
                    + "split them into several transactions")
        }
        let sorted = changes.sorted { $0.path < $1.path }
        let emptied = try Self.checkOverlap(sorted)
        var expanded: [Change] = []
        expanded.reserveCapacity(sorted.count)
        for change in sorted {
            try Self.expand(change.path, change.value, into: &expanded)
        }
        // An object's members come in its own order, and `a-b` sorts between `a` and `a/b`.
        let ordered = expanded.sorted { $0.path < $1.path }
        // An entry is removed with its last setting: it is created again after all unsets.
        self.changes =
            emptied.isEmpty
            ? ordered : ordered.filter { !emptied.contains($0.path) } + ordered.filter { emptied.contains($0.path) }
    }

    /// True if the set has no changes.
    public var isEmpty: Bool { changes.isEmpty }

    /// The number of changes after objects have been split.
    public var count: Int { changes.count }

    /// The text that is the same for equal sets in any order; the store hashes it to recognise a retry.
    public var canonicalText: String {
        JSONValue.array(changes.map { .array([.string($0.path.text), $0.value ?? .null]) }).canonicalText
    }

    private static var tooMany: ChangeSetError {
        ChangeSetError(
            .tooMany, nil, limit: maximumCount,
            "one transaction takes at most \(maximumCount) changes, objects counted by their settings; "
                + "split them into several transactions")
    }

    /// Refuses changes that cannot be in one set, and returns the empty objects below which something is unset.
    private static func checkOverlap(_ sorted: [Change]) throws(ChangeSetError) -> Set<SettingPath> {
        let paths = Set(sorted.map(\.path))
        let empty = Set(sorted.filter { $0.value?.isEmptyObject == true }.map(\.path))
        var emptied: Set<SettingPath> = []
        guard paths.count == sorted.count else {
            for (change, following) in zip(sorted, sorted.dropFirst()) where change.path == following.path {
                throw ChangeSetError(
                    .samePath, change.path,
                    "\(change.path) is changed twice in one transaction; remove one of the two")
            }
            return []
        }
        for change in sorted {
            var above = change.path.parent
            while let path = above {
                if change.value == nil, empty.contains(path) {
                    emptied.insert(path)
                } else if paths.contains(path) {
                    throw ChangeSetError(
                        .overlap, change.path,
                        "\(change.path) and \(path), which it is below, are changed in one transaction; "
                            + "remove one of the two")
                }
                above = path.parent
            }
        }
        return emptied
    }

    private static func expand(
        _ path: SettingPath, _ value: JSONValue?, into result: inout [Change]
    ) throws(ChangeSetError) {
        guard case .object(let object) = value, !object.isEmpty else {
            if result.count == maximumCount { throw tooMany }
            result.append(Change(path, value.map(normalised)))
            return
        }
        for (key, member) in object {
            let below: SettingPath
            do {
                below = try path.appending(key)
            } catch {
                throw ChangeSetError(
                    .invalidPath, path, "the value of \(path) has a key that is not a valid name: \(error)")
            }
            try expand(below, member.isNull ? nil : member, into: &result)
        }
    }

    private static func normalised(_ value: JSONValue) -> JSONValue {
        switch value {
        case .number(let number): Int64(exactly: number).map(JSONValue.integer) ?? value
        case .array(let values): .array(values.map(normalised))
        case .object(let object): .object(JSONObject(object.map { ($0.key, normalised($0.value)) }))
        default: value
        }
    }

    /// Adds up roughly the bytes of a value as compact JSON, and checks its depth and its numbers.
    private static func measure(
        _ value: JSONValue, of path: SettingPath, depth: Int
    ) throws(ChangeSetError) -> Int {
        if depth > maximumDepth {
            throw ChangeSetError(
                .valueTooDeep, path, limit: maximumDepth,
                "the value of \(path) is nested deeper than \(maximumDepth); flatten it")
        }
        switch value {
        case .array(let values):
            var size = 2
            for value in values { size += try measure(value, of: path, depth: depth + 1) + 1 }
            return size
        case .object(let object):
            var size = 2
            for (key, value) in object { size += try measure(value, of: path, depth: depth + 1) + key.utf8.count + 4 }
            return size
        case .number(let number):
            guard number.isFinite else {
                throw ChangeSetError(
                    .notANumber, path, "the value of \(path) holds \(number), which JSON does not have")
            }
            return SettingSize.of(value)
        default: return SettingSize.of(value)
        }
    }
}
