package import CleatJSON

/// Holds one layer's settings leaf by leaf, ordered by the bytes of their paths.
///
/// Arrays are leaves; an empty object is a map entry without leaves. No leaf is below another one. The rows are in
/// short sorted runs, so that a lookup is a binary search, a change moves few rows, and a copy shares all runs except
/// those that differ.
package struct SettingsTree: Sendable {
    /// One stored setting.
    package struct Row: Hashable, Sendable {
        /// The path of the setting.
        package let path: SettingPath
        /// The value, never null.
        package let value: JSONValue

        /// Makes a row.
        package init(path: SettingPath, value: JSONValue) {
            self.path = path
            self.value = value
        }
    }

    /// The most rows in one run.
    static let runLength = 128
    /// The number of rows in a run of a new tree.
    private static let fullRun = runLength * 3 / 4

    private(set) var runs: [[Row]] = []

    /// The number of rows.
    package private(set) var count = 0

    /// The approximate number of bytes of all paths and values.
    package private(set) var bytes = 0

    /// Makes an empty tree.
    package init() {}

    /// Makes a tree of rows; of several values for one path the last counts.
    ///
    /// - Parameter rows: in any order; sorted is fastest.
    package init(_ rows: some Sequence<(SettingPath, JSONValue)>) {
        self.init(rows.map { Row(path: $0.0, value: $0.1) })
    }

    /// Makes a tree of rows; of several for one path the last counts.
    ///
    /// - Parameter rows: in any order; sorted is fastest.
    package init(_ rows: [Row]) {
        var sorted = rows
        if zip(sorted, sorted.dropFirst()).contains(where: { !($0.path < $1.path) }) {
            // Swift's sort is stable: of rows with the same path, the last remains last.
            sorted.sort { $0.path < $1.path }
            var unique: [Row] = []
            unique.reserveCapacity(sorted.count)
            for row in sorted {
                if unique.last?.path == row.path { unique.removeLast() }
                unique.append(row)
            }
            sorted = unique
        }
        count = sorted.count
        bytes = sorted.reduce(0) { $0 + Self.size($1) }
        runs = stride(from: 0, to: sorted.count, by: Self.fullRun).map {
            Array(sorted[$0..<min($0 + Self.fullRun, sorted.count)])
        }
    }

    /// Adds a row, or replaces the one at its path; rows that come in order take no search.
    package mutating func add(_ row: Row) {
        if let last = runs.last?.last, !(last.path < row.path) { return put(row.value, at: row.path) }
        count += 1
        bytes += Self.size(row)
        if let last = runs.indices.last, runs[last].count < Self.fullRun {
            runs[last].append(row)
        } else {
            var run: [Row] = []
            // An array that grows to a full run by itself leaves as much memory unused again.
            if !runs.isEmpty { run.reserveCapacity(Self.fullRun) }
            run.append(row)
            runs.append(run)
        }
    }

    /// True if there are no rows.
    package var isEmpty: Bool { count == 0 }

    /// The value of the row at a path.
    package subscript(path: SettingPath) -> JSONValue? {
        let place = firstPlace(notBefore: path.text)
        guard let row = row(at: place), row.path == path else { return nil }
        return row.value
    }

    /// Returns the value of the leaf at a path, or the object of all settings below it.
    ///
    /// - Parameter path: nil for the whole tree.
    /// - Returns: the value; nil if there are no rows.
    package func value(at path: SettingPath?) -> JSONValue? {
        if let path, let leaf = self[path], !leaf.isEmptyObject || !hasRows(below: path) { return leaf }
        let rows = rows(under: path)
        guard !rows.isEmpty || path == nil else { return nil }
        return .object(Self.object(of: rows[...], depth: path?.count ?? 0))
    }

    /// Returns the row at a path and all rows below it, in order.
    ///
    /// - Parameters:
    ///   - prefix: nil for the whole tree.
    ///   - after: the last path of the page before; only greater paths are returned.
    ///   - limit: the most rows to return.
    /// - Returns: one page.
    package func rows(
        under prefix: SettingPath?, after: SettingPath? = nil, limit: Int = .max
    ) -> [Row] {
        var result: [Row] = []
        var cursor = SettingsTreeCursor(self, under: prefix, after: after)
        while result.count < limit, let row = cursor.next() { result.append(row) }
        return result
    }

    /// Returns true if there is a row at a path or below it.
    package func contains(_ path: SettingPath) -> Bool {
        self[path] != nil || hasRows(below: path)
    }

    /// Returns true if there are rows below a path.
    package func hasRows(below path: SettingPath) -> Bool {
        let start = path.prefixText
        guard let row = row(at: firstPlace(notBefore: start)) else { return false }
        return ByteOrder.starts(row.path.text, with: start)
    }

    /// Returns the names directly below a path that have rows at them or below them.
    func childNames(of path: SettingPath?) -> Set<String> {
        let start = path?.prefixText ?? ""
        let length = start.utf8.count
        var names: Set<String> = []
        var place = firstPlace(notBefore: start)
        // The prefix of every path below the last name: such paths are skipped without being parsed.
        var seen: String?
        while let row = row(at: place), ByteOrder.starts(row.path.text, with: start) {
            if seen.map({ !ByteOrder.starts(row.path.text, with: $0) }) ?? true {
                let segment = row.path.segmentText(belowBytes: length)
                names.insert(SettingPath.unescaped(segment))
                seen = start + segment + "/"
            }
            place = next(place)
        }
        return names
    }

    /// Applies changes: a set removes conflicting rows above and below, an unset removes the row and all rows below it.
    ///
    /// - Parameter changes: the changes; they are not validated against a schema here.
    /// - Returns: the changed rows, in order.
    @discardableResult
    package mutating func apply(_ changes: ChangeSet) -> [SettingDifference] {
        var differences: [SettingDifference] = []
        for change in changes.changes {
            apply(change, recording: &differences)
        }
        return differences.sortedByPath()
    }

    mutating func apply(_ change: Change, recording differences: inout [SettingDifference]) {
        let path = change.path
        if let value = change.value {
            let place = firstPlace(notBefore: path.text)
            let row = row(at: place)
            let old = row.flatMap { $0.path == path ? $0.value : nil }
            if old == value { return }
            if let row, let old, old.objectValue == nil, value.objectValue == nil {
                // Nothing is above or below a leaf that is not an empty entry.
                let new = Row(path: row.path, value: value)
                bytes += Self.size(new) - Self.size(row)
                runs[place.run][place.index] = new
                differences.append(SettingDifference(path: path, old: old, new: value))
                return
            }
            if case .object = value, hasRows(below: path) { return }
            var above = path.parent
            while let ancestor = above {
                remove(ancestor, recording: &differences)
                above = ancestor.parent
            }
            removeRows(below: path, recording: &differences)
            put(value, at: path)
            differences.append(SettingDifference(path: path, old: old, new: value))
        } else {
            remove(path, recording: &differences)
            removeRows(below: path, recording: &differences)
        }
    }

    /// Applies differences to single rows, without checking for rows above or below.
    package mutating func apply(_ differences: [SettingDifference]) {
        for difference in differences {
            if let new = difference.new {
                put(new, at: difference.path)
            } else {
                _ = take(difference.path)
            }
        }
    }

    /// Returns the rows that differ between two trees, in order.
    ///
    /// - Parameters:
    ///   - old: the state before.
    ///   - new: the state after.
    /// - Returns: the differences; none if the trees are equal.
    package static func differences(from old: SettingsTree, to new: SettingsTree) -> [SettingDifference] {
        var result: [SettingDifference] = []
        var left = old.joined.makeIterator()
        var right = new.joined.makeIterator()
        var before = left.next()
        var after = right.next()
        while before != nil || after != nil {
            if let mine = before, let theirs = after, mine.path == theirs.path {
                if mine.value != theirs.value {
                    result.append(SettingDifference(path: mine.path, old: mine.value, new: theirs.value))
                }
                before = left.next()
                after = right.next()
            } else if let mine = before, after.map({ mine.path < $0.path }) ?? true {
                result.append(SettingDifference(path: mine.path, old: mine.value, new: nil))
                before = left.next()
            } else if let theirs = after {
                result.append(SettingDifference(path: theirs.path, old: nil, new: theirs.value))
                after = right.next()
            }
        }
        return result
    }

    /// Returns the paths of the rows that differ from another tree, in order; runs that the two share cost nothing.
    ///
    /// - Parameters:
    ///   - old: the other tree.
    ///   - limit: the most paths to return.
    /// - Returns: the paths; nil if there are more.
    func changedPaths(since old: SettingsTree, limit: Int) -> [SettingPath]? {
        var paths: [SettingPath] = []
        var (before, after) = (Place(run: 0, index: 0), Place(run: 0, index: 0))
        while true {
            if before.index == 0, after.index == 0, before.run < old.runs.count, after.run < runs.count,
                Self.areShared(old.runs[before.run], runs[after.run])
            {
                before.run += 1
                after.run += 1
                continue
            }
            if before.run < old.runs.count, after.run < runs.count {
                let copies = Self.copies(old.runs[before.run][before.index...], runs[after.run][after.index...])
                if copies > 0 {
                    (before, after) = (old.next(before, by: copies), next(after, by: copies))
                    continue
                }
            }
            let (mine, theirs) = (old.row(at: before), row(at: after))
            guard mine != nil || theirs != nil else { return paths }
            if let mine, let theirs, mine.path == theirs.path {
                if mine.value != theirs.value { paths.append(mine.path) }
                (before, after) = (old.next(before), next(after))
            } else if let mine, theirs.map({ mine.path < $0.path }) ?? true {
                paths.append(mine.path)
                before = old.next(before)
            } else if let theirs {
                paths.append(theirs.path)
                after = next(after)
            }
            if paths.count > limit { return nil }
        }
    }

    /// Returns true if two trees share all runs, so that they are equal; false if that would have to be compared.
    func isIdentical(to other: SettingsTree) -> Bool {
        count == other.count && runs.count == other.runs.count && zip(runs, other.runs).allSatisfy(Self.areShared)
    }

    private static func areShared(_ one: [Row], _ other: [Row]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBufferPointer { one in
            unsafe other.withUnsafeBufferPointer { other in unsafe one.baseAddress == other.baseAddress }
        }
    }

    /// The number of runs with rows below a path from which on it is large: about a thousand rows.
    private static let largeRuns = 8

    /// Returns true if the rows below a path, if any, are in more than ``largeRuns`` runs.
    func isLarge(below path: SettingPath) -> Bool {
        guard runs.count > Self.largeRuns else { return false }
        let run = firstPlace(notBefore: path.text + "/").run + Self.largeRuns
        return run < runs.count && runs[run].first?.path.isBelow(path) == true
    }

    /// Returns the number of rows at the start of two runs that are copies of one another.
    ///
    /// They are the same bit by bit, which takes no comparison of texts and values. Equal rows may differ.
    private static func copies(_ one: ArraySlice<Row>, _ other: ArraySlice<Row>) -> Int {
        let (count, stride, size) = (min(one.count, other.count), MemoryLayout<Row>.stride, MemoryLayout<Row>.size)
        let words = size / 8 * 8
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                for row in 0..<count {
                    var place = row * stride
                    let (middle, end) = (place + words, place + size)
                    while place < middle {
                        guard
                            unsafe one.load(fromByteOffset: place, as: UInt64.self)
                                == other.load(fromByteOffset: place, as: UInt64.self)
                        else { return row }
                        place += 8
                    }
                    while place < end {
                        guard unsafe one[place] == other[place] else { return row }
                        place += 1
                    }
                }
                return count
            }
        }
    }

    /// All rows in order.
    package var joined: some Sequence<Row> { runs.joined() }
}

extension SettingsTree: Equatable {
    /// Compares two trees row by row.
    package static func == (left: SettingsTree, right: SettingsTree) -> Bool {
        left.count == right.count && left.joined.elementsEqual(right.joined)
    }
}

extension SettingsTree {
    struct Place: Sendable {
        var run: Int
        var index: Int
    }

    private static func size(_ row: Row) -> Int {
        row.path.text.utf8.count + SettingSize.of(row.value)
    }

    func row(at place: Place) -> Row? {
        guard place.run < runs.count, place.index < runs[place.run].count else { return nil }
        return runs[place.run][place.index]
    }

    func next(_ place: Place, by count: Int = 1) -> Place {
        place.index + count < runs[place.run].count
            ? Place(run: place.run, index: place.index + count) : Place(run: place.run + 1, index: 0)
    }

    /// Returns the place of the first row whose path is not before a text; the place past the last row if there is
    /// none.
    func firstPlace(notBefore text: String) -> Place {
        let run = Self.partition(runs.count) { run in
            runs[run].last.map { ByteOrder.precedes($0.path.text, text) } ?? true
        }
        guard run < runs.count else { return Place(run: run, index: 0) }
        let rows = runs[run]
        return Place(run: run, index: Self.partition(rows.count) { ByteOrder.precedes(rows[$0].path.text, text) })
    }

    /// Returns the first of `count` ascending places at which `isBefore` is false.
    static func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(middle) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    private mutating func put(_ value: JSONValue, at path: SettingPath) {
        let new = Row(path: path, value: value)
        var place = firstPlace(notBefore: path.text)
        if let old = row(at: place), old.path == path {
            bytes += Self.size(new) - Self.size(old)
            runs[place.run][place.index] = new
            return
        }
        count += 1
        bytes += Self.size(new)
        if runs.isEmpty {
            runs.append([new])
            return
        }
        if place.run == runs.count {
            place = Place(run: runs.count - 1, index: runs[runs.count - 1].count)
        }
        if runs[place.run].count < Self.runLength {
            runs[place.run].insert(new, at: place.index)
            return
        }
        let half = Self.runLength / 2
        var low = Array(runs[place.run][..<half])
        var high = Array(runs[place.run][half...])
        if place.index <= half {
            low.insert(new, at: place.index)
        } else {
            high.insert(new, at: place.index - half)
        }
        runs.replaceSubrange(place.run...place.run, with: [low, high])
    }

    private mutating func take(_ path: SettingPath) -> JSONValue? {
        let place = firstPlace(notBefore: path.text)
        guard let row = row(at: place), row.path == path else { return nil }
        runs[place.run].remove(at: place.index)
        if runs[place.run].isEmpty { runs.remove(at: place.run) }
        count -= 1
        bytes -= Self.size(row)
        return row.value
    }

    private mutating func remove(_ path: SettingPath, recording differences: inout [SettingDifference]) {
        if let old = take(path) {
            differences.append(SettingDifference(path: path, old: old, new: nil))
        }
    }

    private mutating func removeRows(below path: SettingPath, recording differences: inout [SettingDifference]) {
        guard hasRows(below: path) else { return }
        for row in rows(under: path) {
            remove(row.path, recording: &differences)
        }
    }

    /// Makes an object of rows.
    ///
    /// - Parameters:
    ///   - rows: in order, all below one path.
    ///   - depth: the number of segments of that path.
    /// - Returns: the object at that path.
    static func object(of rows: ArraySlice<Row>, depth: Int) -> JSONObject {
        object(of: rows.map { (segments: $0.path.segments, value: $0.value) }[...], depth: depth)
    }

    private static func object(
        of rows: ArraySlice<(segments: [String], value: JSONValue)>, depth: Int
    ) -> JSONObject {
        var result = JSONObject()
        var start = rows.startIndex
        while start < rows.endIndex {
            let segments = rows[start].segments
            guard depth < segments.count else {
                start += 1
                continue
            }
            let name = segments[depth]
            if segments.count == depth + 1 {
                result[name] = rows[start].value
                start += 1
                continue
            }
            // All rows below one name are next to each other.
            let end =
                rows[start...].firstIndex { row in
                    row.segments.count <= depth + 1 || !ByteOrder.areEqual(row.segments[depth], name)
                } ?? rows.endIndex
            result[name] = .object(object(of: rows[start..<end], depth: depth + 1))
            start = end
        }
        return result
    }
}
