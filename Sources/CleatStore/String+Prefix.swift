extension String {
    /// Returns the longest prefix of whole Unicode scalars that has at most `limit` UTF-8 bytes.
    func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        // Never cuts in the middle of a scalar's bytes.
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
