extension String {
    /// Returns true if its UTF-8 bytes sort before those of another string.
    func precedes(_ other: String) -> Bool {
        let compared = unsafe utf8.withContiguousStorageIfAvailable { left in
            unsafe other.utf8.withContiguousStorageIfAvailable { right in
                for index in 0..<min(left.count, right.count) {
                    let (one, two) = unsafe (left[index], right[index])
                    if one != two { return one < two }
                }
                return left.count < right.count
            }
        }
        // Native Swift strings have contiguous UTF-8; strings bridged from another runtime may not.
        return (compared ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// Returns the longest prefix of whole Unicode scalars that has at most `limit` UTF-8 bytes.
    func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        // Never cuts in the middle of a scalar's bytes.
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
