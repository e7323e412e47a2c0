/// Iterates over the row at a path and all rows below it, in order.
struct SettingsTreeCursor {
    private let tree: SettingsTree
    private let start: String
    private var first: SettingsTree.Row?
    private var place: SettingsTree.Place

    /// Makes a cursor.
    ///
    /// - Parameters:
    ///   - tree: the tree in its current state.
    ///   - prefix: nil for the whole tree.
    ///   - after: a path; only greater ones are returned.
    init(_ tree: SettingsTree, under prefix: SettingPath?, after: SettingPath?) {
        self.tree = tree
        start = prefix?.prefixText ?? ""
        if let prefix, let value = tree[prefix], after.map({ $0 < prefix }) ?? true {
            first = SettingsTree.Row(path: prefix, value: value)
        }
        place = tree.firstPlace(notBefore: start)
        if let after, !ByteOrder.precedes(after.text, start) {
            place = tree.firstPlace(notBefore: after.text)
            if tree.row(at: place)?.path == after { place = tree.next(place) }
        }
    }

    /// The next row.
    var current: SettingsTree.Row? {
        if let first { return first }
        guard let row = tree.row(at: place), ByteOrder.starts(row.path.text, with: start) else { return nil }
        return row
    }

    /// Returns the next row and advances.
    mutating func next() -> SettingsTree.Row? {
        let row = current
        if first != nil {
            first = nil
        } else if row != nil {
            place = tree.next(place)
        }
        return row
    }
}
