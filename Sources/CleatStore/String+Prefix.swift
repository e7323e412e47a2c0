extension String {
    /// The first characters, in at most so many bytes.
    func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        // Never in the middle of a character's bytes.
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
