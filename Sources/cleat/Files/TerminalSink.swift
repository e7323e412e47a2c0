import CleatViews

/// Prints a fetched file on a terminal, with all control characters escaped.
final class TerminalSink: FileSink {
    private let console: Console
    /// The first bytes of a character whose remaining bytes are in the next piece.
    private var pending: [UInt8] = []

    init(console: Console) {
        self.console = console
    }

    var isTerminal: Bool { true }

    func write(_ piece: [UInt8]) throws(CommandError) {
        let bytes = pending + piece
        let end = Self.endOfWhole(bytes)
        pending = Array(bytes[end...])
        try console.write(Self.printable(bytes[..<end]))
    }

    func finish() throws(CommandError) {
        try console.write(Self.printable(pending[...]))
        pending = []
    }

    /// Escapes everything but tabs and line ends.
    static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for (number, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
        {
            if number > 0 { text += "\n" }
            for (column, cell) in line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
                .enumerated()
            {
                if column > 0 { text += "\t" }
                String(decoding: cell, as: UTF8.self).appendPrintable(to: &text)
            }
        }
        return text
    }

    /// Returns the index after the last complete UTF-8 character; at most three bytes follow it.
    private static func endOfWhole(_ bytes: [UInt8]) -> Int {
        for back in 1...3 where back <= bytes.count {
            let byte = bytes[bytes.count - back]
            if byte & 0xc0 == 0x80 { continue }
            let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
            return length > back ? bytes.count - back : bytes.count
        }
        return bytes.count
    }
}
