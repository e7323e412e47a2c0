import CleatViews
import SystemPackage

/// Prints a table whose rows come in parts; the form `json`, which is one document, at the end.
///
/// A reader that pauses does not stop the parts from being received, since the service would end the connection: they
/// are kept until the output takes them.
struct TablePrinter {
    /// The number of rows that the first widths of the columns are made from.
    private static let firstRows = 1_024
    /// The number of bytes that a pipe with space takes at once. pipe(7), PIPE_BUF
    private static let piece = 4_096

    private let console: Console
    private var layout = TableLayout()
    private var hasBegun = false
    /// The text that is not printed yet, from an offset on.
    private var waiting: (bytes: [UInt8], offset: Int) = ([], 0)

    init(_ console: Console) { self.console = console }

    /// Prints the rows so far, with their number; returns false if they have to be kept for more.
    mutating func print(_ part: some TablePresentable & JSONPresentable, rows: Int) throws(CommandError) -> Bool {
        switch console.renderer.form {
        case .json: return false
        case .jsonLines: part.writeJSONLines(into: &waiting.bytes)
        case .text:
            guard hasBegun || rows >= Self.firstRows else { return false }
            hasBegun = true
            var page = console.renderer.page
            layout.write(part, to: &page)
            waiting.bytes += page.bytes
        }
        try write { Process.isWritable(.standardOutput) }
        return true
    }

    /// Prints the end of the table, with the rows that were kept.
    mutating func finish(_ rest: some TablePresentable & JSONPresentable) throws(CommandError) {
        switch console.renderer.form {
        case .json: return try console.show(rest)
        case .jsonLines: break
        case .text:
            var page = console.renderer.page
            layout.write(rest, to: &page)
            layout.finish(rest, on: &page)
            waiting.bytes += page.bytes
        }
        try write { true }
    }

    /// Writes pieces of the text while the output takes them.
    private mutating func write(while isReady: () -> Bool) throws(CommandError) {
        while waiting.offset < waiting.bytes.count, isReady() {
            let end = min(waiting.offset + Self.piece, waiting.bytes.count)
            try console.write(Array(waiting.bytes[waiting.offset..<end]))
            waiting.offset = end
        }
        // Text that has been printed is not copied each time that a piece is.
        guard waiting.offset * 2 >= waiting.bytes.count else { return }
        waiting.bytes.removeFirst(waiting.offset)
        waiting.offset = 0
    }
}
