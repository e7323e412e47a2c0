extension String {
    /// Whether its bytes come before those of another one.
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
        // Both stand in one piece, but for strings of another runtime.
        return (compared ?? nil) ?? utf8.lexicographicallyPrecedes(other.utf8)
    }
}
