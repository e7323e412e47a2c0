extension String {
    /// Returns the text with another one wherever it has a part.
    ///
    /// - Parameters:
    ///   - part: the part, which is not empty.
    ///   - other: the text in its place.
    /// - Returns: the text; the same if it does not have the part.
    package func substituting(_ part: String, by other: String) -> String {
        let (bytes, part) = (Array(utf8), Array(part.utf8))
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if !part.isEmpty, bytes[index...].starts(with: part) {
                result += other.utf8
                index += part.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
