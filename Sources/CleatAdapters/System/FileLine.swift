/// The first line of a file that begins with a word.
struct FileLine {
    /// The position of the line, without its line feed.
    let range: Range<Int>
    /// The line, without its line feed.
    let bytes: [UInt8]

    /// Finds the line; nil if there is none.
    init?(_ word: String, in text: [UInt8]) {
        var start = 0
        while start < text.count {
            let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
            let line = text[start..<end]
            let first = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                .prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "\r") }
            if first.elementsEqual(word.utf8) {
                range = start..<end
                bytes = Array(line)
                return
            }
            start = end + 1
        }
        return nil
    }

    /// Returns the file's content with another line in place of this one.
    func replaced(by line: [UInt8], in text: [UInt8]) -> [UInt8] {
        Array(text[..<range.lowerBound]) + line + text[range.upperBound...]
    }
}
