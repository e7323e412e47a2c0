/// Reads and writes the texts by which the kernel shows its values.
package enum AttributeText {
    /// The value of what was read: without white space around it, and with one space in the place of each run of it.
    ///
    /// Of a list of choices with the one in force in brackets (`none [timer] heartbeat`) it is that one.
    package static func value(of bytes: [UInt8]) -> [UInt8] {
        let words = words(of: bytes)
        return selected(in: words) ?? Array(words.joined(separator: [UInt8(ascii: " ")]))
    }

    /// What to write to bring back what was read.
    package static func written(from bytes: [UInt8]) -> [UInt8] {
        if let selected = selected(in: words(of: bytes)) { return selected + [UInt8(ascii: "\n")] }
        // The kernel takes no notice of an empty write.
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
