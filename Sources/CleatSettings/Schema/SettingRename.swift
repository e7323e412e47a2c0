import CleatJSON

/// A former name of one place in the tree (`x-cleat-renamed-from`).
///
/// A segment in braces matches any key of a map; the keys of the old path are those of the new one, in their order.
package struct SettingRename: Sendable, Hashable {
    /// The keyword that lists former names.
    package static let keyword = "x-cleat-renamed-from"
    /// The most former names of one place.
    static let maximumCount = 16

    /// The former path, as written in the schema.
    package let old: String
    /// The present place.
    package let new: String
    /// True if a group or a map was renamed, with all settings below it.
    let isGroup: Bool
    /// The place of the keyword in the schema.
    let pointer: [String]

    /// Reads the former names of a place.
    ///
    /// - Parameters:
    ///   - json: the keyword's value: a path or a list of paths, the latest first.
    ///   - place: the present place.
    ///   - isGroup: true if the place is a group or a map.
    ///   - pointer: the place of the keyword.
    /// - Returns: the names, or the fault in them.
    static func read(
        _ json: JSONValue, at place: String, isGroup: Bool, pointer: [String]
    ) -> (renames: [SettingRename], problem: String?) {
        let values = json.arrayValue ?? [json]
        guard !values.isEmpty, values.count <= maximumCount, !place.isEmpty else {
            let problem =
                place.isEmpty
                ? "“\(keyword)” stands where nothing has a name; give it to a setting or a group"
                : "“\(keyword)” must be a path or a list of 1 to \(maximumCount) paths"
            return ([], problem)
        }
        var renames: [SettingRename] = []
        for value in values {
            guard let text = value.stringValue else {
                return ([], "“\(keyword)” must be a path or a list of 1 to \(maximumCount) paths")
            }
            do {
                _ = try SettingPath(text)
            } catch {
                return ([], "“\(keyword)” names what is no path: \(error)")
            }
            let keys = segments(of: text).count { isKey($0) }
            guard keys == segments(of: place).count(where: isKey) else {
                return (
                    [],
                    "“\(keyword)” names “\(Excerpt.of(text))”, which must have as many keys in braces as “\(Excerpt.of(place))”"
                )
            }
            guard !ByteOrder.areEqual(text, place) else {
                return ([], "“\(keyword)” names the very path that it stands at; leave it out")
            }
            renames.append(SettingRename(old: text, new: place, isGroup: isGroup, pointer: pointer))
        }
        return (renames, nil)
    }

    static func segments(of text: String) -> [Substring] { text.split(separator: "/") }

    static func isKey(_ segment: Substring) -> Bool {
        segment.utf8.count > 2 && segment.first == "{" && segment.last == "}"
    }

    /// Returns the present name of a path; nil if this rename does not apply to it.
    func applied(to path: SettingPath) -> SettingPath? {
        let old = Self.segments(of: old)
        let segments = Self.segments(of: path.text)
        guard isGroup ? segments.count >= old.count : segments.count == old.count else { return nil }
        var keys: [Substring] = []
        for (mine, theirs) in zip(old, segments) {
            if Self.isKey(mine) {
                keys.append(theirs)
            } else if mine.utf8.elementsEqual(theirs.utf8) == false {
                return nil
            }
        }
        var result: [Substring] = []
        for segment in Self.segments(of: new) {
            result.append(Self.isKey(segment) ? keys.removeFirst() : segment)
        }
        return try? SettingPath((result + segments[old.count...]).joined(separator: "/"))
    }
}
