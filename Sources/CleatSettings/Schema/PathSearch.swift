import CleatJSON

/// Searches the path of a schema that is most similar to a mistyped one, by the fewest slips between them.
///
/// A slip is a wrong, missing or additional letter, a missing or additional segment, or a missing or additional slash.
/// The most similar ones are compared first, and the work is bounded for any input.
struct PathSearch {
    /// The most work: about one for each compared letter.
    private static let maximumWork = 2_000_000
    /// The most names of a group that are compared in their order; in larger groups the neighbours of the name come
    /// first.
    private static let maximumUnordered = 512
    /// The most segments that may be missing.
    private static let maximumMissing = 3

    /// A partial match that leads to a place of the tree.
    private struct Way {
        let node: SchemaNode
        let path: String
        /// The remaining segments of the mistyped path.
        let rest: ArraySlice<String>
        var missing = 0
        /// The number of matched names; the keys of maps are free, so they do not count.
        var met = 0
        /// True if the last segment is a free key of a map whose own name is missing below another map.
        var endsFreely = false
        /// True if the name of the place is missing, and the place is below a map.
        var isSkipped = false
        /// True if the place is below a map.
        var isBelowMap = false
    }

    private let wanted: SettingPath
    /// The pending partial matches, by the number of their slips.
    private var open: [[Way]]
    private var work = maximumWork

    private init(wanted path: SettingPath) {
        wanted = path
        open = Array(repeating: [], count: max(2, path.text.unicodeScalars.count / 3) + 1)
    }

    /// Returns the path below a place that is most similar to an unknown one; nil if none is similar, and if the search
    /// would take too long.
    static func suggestion(for path: SettingPath, below root: SchemaNode) -> String? {
        guard path.text.utf8.count <= 128 else { return nil }
        var search = PathSearch(wanted: path)
        return search.run(from: root)
    }

    private mutating func run(from root: SchemaNode) -> String? {
        open[0] = [Way(node: root, path: "", rest: wanted.segments[...])]
        for slips in open.indices {
            var next = 0
            while next < open[slips].count {
                let way = open[slips][next]
                next += 1
                if isFound(way) { return way.path }
                // If the work is used up, the most similar path that was found so far is returned.
                guard work > 0 else { return open[slips...].lazy.joined().first(where: isFound)?.path }
                go(on: way, slips)
            }
            open[slips] = []
        }
        return nil
    }

    private func isFound(_ way: Way) -> Bool {
        way.rest.isEmpty && way.met > 0 && !way.endsFreely && !ByteOrder.areEqual(way.path, wanted.text)
    }

    private mutating func add(_ way: Way, _ slips: Int) {
        work -= 8
        if open.indices.contains(slips) { open[slips].append(way) }
    }

    private mutating func go(on way: Way, _ slips: Int) {
        guard let first = way.rest.first else { return }
        // Skips an additional segment; a map has none, since it accepts any key.
        if way.node.object.entryKinds.isEmpty {
            add(
                Way(
                    node: way.node, path: way.path, rest: way.rest.dropFirst(), missing: way.missing, met: way.met,
                    isBelowMap: way.isBelowMap),
                slips + first.unicodeScalars.count)
        }
        guard way.node.isInterior else { return }
        let letters = Array(first.unicodeScalars)
        let joined = way.rest.count > 1 ? letters + Array((way.rest.dropFirst().first ?? "").unicodeScalars) : nil
        for (name, child) in Self.properties(of: way.node, near: first) {
            let text = SettingPath.escaped(name)
            let path = way.path.isEmpty ? text : "\(way.path)/\(text)"
            func found(_ rest: ArraySlice<String>, missing: Int = 0) -> Way {
                Way(
                    node: child, path: path, rest: rest, missing: way.missing + missing, met: way.met + 1 - missing,
                    isSkipped: missing > 0 && way.isBelowMap, isBelowMap: way.isBelowMap)
            }
            if let distance = distance(first, letters, from: name, limit: open.count - 1 - slips),
                // Where segments are missing, most of the letters must be there.
                way.missing == 0 || 2 * distance <= max(letters.count, name.unicodeScalars.count)
            {
                add(found(way.rest.dropFirst()), slips + distance)
            }
            if let joined, let distance = distance("", joined, from: name, limit: min(1, open.count - 2 - slips)) {
                add(found(way.rest.dropFirst(2)), slips + distance + 1)
            }
            if let tail = Self.tail(of: first, after: name) { add(found([tail] + way.rest.dropFirst()), slips + 1) }
            if child.isInterior, way.missing < Self.maximumMissing { add(found(way.rest, missing: 1), slips + 1) }
            guard work > 0 else { return }
        }
        enter(way, first, slips)
    }

    /// Continues through a map, which accepts any name that its rules allow.
    private mutating func enter(_ way: Way, _ name: String, _ slips: Int) {
        guard let entry = way.node.object.entry(name) else { return }
        work -= name.utf8.count * 4
        if let names = way.node.object.propertyNames, names.firstProblem(with: .string(name)) != nil { return }
        let text = SettingPath.escaped(name)
        // The map's own name is not meant as a key of it.
        if way.missing > 0, way.path.utf8.elementsEqual(text.utf8) || way.path.hasSuffix("/\(text)") { return }
        let path = way.path.isEmpty ? text : "\(way.path)/\(text)"
        add(
            Way(
                node: entry, path: path, rest: way.rest.dropFirst(), missing: way.missing, met: way.met,
                endsFreely: way.isSkipped, isBelowMap: true), slips)
    }

    /// Returns the members of a group; in a very large one, the neighbours of the name come first.
    private static func properties(of node: SchemaNode, near name: String) -> [(name: String, node: SchemaNode)] {
        let all = node.object.properties
        guard all.count > maximumUnordered else { return all }
        let place = SettingsTree.partition(all.count) { ByteOrder.precedes(all[$0].name, name) }
        let near = max(0, place - maximumUnordered / 2)..<min(all.count, place + maximumUnordered / 2)
        return Array(all[near]) + all[..<near.lowerBound] + all[near.upperBound...]
    }

    /// Returns the rest of a text after a name that it begins with; nil if it does not, or if there is no rest.
    private static func tail(of text: String, after name: String) -> String? {
        guard name.utf8.count > 2, text.utf8.count > name.utf8.count, text.utf8.starts(with: name.utf8) else {
            return nil
        }
        let tail = text.utf8.dropFirst(name.utf8.count).drop { "._-:".utf8.contains($0) }
        return tail.isEmpty ? nil : String(Substring(tail))
    }

    private mutating func distance(
        _ wanted: String, _ letters: [Unicode.Scalar], from name: String, limit: Int
    ) -> Int? {
        // A prefix of a name very likely means that name.
        if wanted.utf8.count > 2, name.utf8.starts(with: wanted.utf8) {
            return ByteOrder.areEqual(wanted, name) ? 0 : limit > 0 ? 1 : nil
        }
        let known = Array(name.unicodeScalars)
        work -= known.count
        guard abs(known.count - letters.count) <= limit else { return nil }
        work -= known.count * letters.count
        let distance = EditDistance.between(known, letters)
        // A name that differs in every letter is not similar.
        return distance <= limit && distance < max(known.count, letters.count) ? distance : nil
    }
}

/// Counts the single-character edits between two texts (Levenshtein).
package enum EditDistance {
    /// Returns the number of edits that change one text to the other.
    package static func between(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = Array(0...right.count)
        for (index, scalar) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in right.indices {
                let substituted = diagonal + (scalar == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
