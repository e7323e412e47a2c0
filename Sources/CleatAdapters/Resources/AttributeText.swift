/// Reads and writes kernel values as text.
package enum AttributeText {
    /// Returns the value of an attribute's content: without white space around it, and with single spaces in it.
    ///
    /// For a list of choices with the active one in brackets (`none [timer] heartbeat`) it returns the active one.
    package static func value(of bytes: [UInt8]) -> [UInt8] {
        let words = words(of: bytes)
        return selected(in: words) ?? Array(words.joined(separator: [UInt8(ascii: " ")]))
    }

    /// Returns the bytes to write to restore the content that was read.
    package static func written(from bytes: [UInt8]) -> [UInt8] {
        if let selected = selected(in: words(of: bytes)) { return selected + [UInt8(ascii: "\n")] }
        // The kernel ignores an empty write.
        return bytes.isEmpty ? [UInt8(ascii: "\n")] : bytes
    }

    private static func words(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        // Some attributes end in a NUL.
        bytes.split { $0 == 0x20 || (0x09...0x0d).contains($0) || $0 == 0 }
    }

    private static func selected(in words: [ArraySlice<UInt8>]) -> [UInt8]? {
        let marked = words.filter {
            $0.count > 2 && $0.first == UInt8(ascii: "[") && $0.last == UInt8(ascii: "]")
        }
        return marked.count == 1 ? marked.first.map { Array($0.dropFirst().dropLast()) } : nil
    }
}
