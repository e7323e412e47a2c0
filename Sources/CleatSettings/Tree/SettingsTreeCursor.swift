/// Walks over the row at a path and all rows below it, in order.
struct SettingsTreeCursor {
    private let tree: SettingsTree
    private let start: String
    private var first: SettingsTree.Row?
    private var place: SettingsTree.Place

    /// Begins a walk.
    ///
    /// - Parameters:
    ///   - tree: what is walked over, as it is now.
    ///   - prefix: nil for the whole tree.
    ///   - after: only greater paths are met.
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

    /// The row that comes next.
    var current: SettingsTree.Row? {
        if let first { return first }
        guard let row = tree.row(at: place), ByteOrder.starts(row.path.text, with: start) else { return nil }
        return row
    }

    /// Takes the row that comes next.
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
