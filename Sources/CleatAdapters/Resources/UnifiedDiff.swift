/// Writes the difference of two texts in the format of `diff -u`, as `patch -p1` reads it.
package enum UnifiedDiff {
    /// The number of context lines around a change.
    private static let context = 3
    /// The maximum number of line pairs that are compared; beyond it, all differing lines count as removed and added.
    private static let comparisons = 90_000

    /// Compares two texts.
    ///
    /// - Parameters:
    ///   - path: the file's absolute path, for the heading.
    ///   - old: the bytes before; nil if there was no file.
    ///   - new: the bytes after; nil if there is no file.
    /// - Returns: the difference, which ends with a line feed; empty if the bytes are the same.
    package static func text(of path: String, from old: [UInt8]?, to new: [UInt8]?) -> String {
        guard old != new else { return "" }
        let before = lines(of: old ?? [])
        let after = lines(of: new ?? [])
        var text = "--- \(old == nil ? "/dev/null" : "a" + path)\n+++ \(new == nil ? "/dev/null" : "b" + path)\n"
        for hunk in hunks(script(from: before, to: after)) { write(hunk, before, after, to: &text) }
        return text
    }

    /// Returns the lines, each with its line feed if it has one.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        if !rest.isEmpty { lines.append(rest) }
        return lines
    }

    /// One line of the difference, by its index in the text before, or after, or both.
    private struct Edit {
        var old: Int?
        var new: Int?
    }

    /// Returns the edits: the fewest removed and added lines, unless too many lines differ.
    private static func script(from old: [ArraySlice<UInt8>], to new: [ArraySlice<UInt8>]) -> [Edit] {
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var end = 0
        while end < old.count - start, end < new.count - start, old[old.count - 1 - end] == new[new.count - 1 - end] {
            end += 1
        }
        var edits = (0..<start).map { Edit(old: $0, new: $0) }
        let before = start..<(old.count - end)
        let after = start..<(new.count - end)
        if before.count * after.count > comparisons {
            edits += before.map { Edit(old: $0, new: nil) } + after.map { Edit(old: nil, new: $0) }
        } else {
            edits += middle(old, before, new, after)
        }
        return edits + (0..<end).map { Edit(old: before.upperBound + $0, new: after.upperBound + $0) }
    }

    /// Returns the edits between two ranges by their longest common subsequence, in a table of rows × columns.
    private static func middle(
        _ old: [ArraySlice<UInt8>], _ before: Range<Int>, _ new: [ArraySlice<UInt8>], _ after: Range<Int>
    ) -> [Edit] {
        let width = after.count + 1
        var common = [UInt32](repeating: 0, count: (before.count + 1) * width)
        for row in before.indices.reversed() {
            for column in after.indices.reversed() {
                let place = (row - before.lowerBound) * width + column - after.lowerBound
                common[place] =
                    old[row] == new[column]
                    ? common[place + width + 1] + 1 : max(common[place + width], common[place + 1])
            }
        }
        var edits: [Edit] = []
        var (row, column) = (before.lowerBound, after.lowerBound)
        while row < before.upperBound || column < after.upperBound {
            let place = (row - before.lowerBound) * width + column - after.lowerBound
            if row < before.upperBound, column < after.upperBound, old[row] == new[column] {
                edits.append(Edit(old: row, new: column))
                row += 1
                column += 1
            } else if row < before.upperBound,
                column == after.upperBound || common[place + width] >= common[place + 1]
            {
                edits.append(Edit(old: row, new: nil))
                row += 1
            } else {
                edits.append(Edit(old: nil, new: column))
                column += 1
            }
        }
        return edits
    }

    /// Returns the changes with their context lines; changes close to each other share a hunk.
    private static func hunks(_ edits: [Edit]) -> [ArraySlice<Edit>] {
        var ranges: [Range<Int>] = []
        for (index, edit) in edits.enumerated() where edit.old == nil || edit.new == nil {
            let range = max(0, index - context)..<min(edits.count, index + context + 1)
            if let last = ranges.last, last.upperBound >= range.lowerBound {
                ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
            } else {
                ranges.append(range)
            }
        }
        return ranges.map { edits[$0] }
    }

    private static func write(
        _ hunk: ArraySlice<Edit>, _ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>], to text: inout String
    ) {
        text += "@@ -\(place(hunk.compactMap(\.old), hunk, \.old)) +\(place(hunk.compactMap(\.new), hunk, \.new)) @@\n"
        for edit in hunk {
            let line = edit.old.map { old[$0] } ?? edit.new.map { new[$0] } ?? []
            text += edit.new == nil ? "-" : edit.old == nil ? "+" : " "
            text += String(decoding: line, as: UTF8.self)
            if line.last != UInt8(ascii: "\n") { text += "\n\\ No newline at end of file\n" }
        }
    }

    /// Returns a range as `first,count` in the format of POSIX: without a count of one, and `0,0` for no lines.
    private static func place(_ numbers: [Int], _ hunk: ArraySlice<Edit>, _ side: KeyPath<Edit, Int?>) -> String {
        guard let first = numbers.first else {
            // Only an empty text has no line in a hunk, since hunks include context lines.
            return "0,0"
        }
        return numbers.count == 1 ? "\(first + 1)" : "\(first + 1),\(numbers.count)"
    }
}
