import CleatViews

/// Prints a table whose rows come in parts; the form `json`, which is one document, at the end.
struct TablePrinter {
    /// The number of rows that the first widths of the columns are made from.
    private static let firstRows = 1_024

    private let console: Console
    private var layout = TableLayout()
    private var hasBegun = false

    init(_ console: Console) { self.console = console }

    /// Prints the rows so far, with their number; returns false if they have to be kept for more.
    mutating func print(
        _ part: some TablePresentable & JSONPresentable, rows: Int
    ) throws(CommandError) -> Bool {
        switch console.renderer.form {
        case .json: return false
        case .jsonLines: try console.showItem(part)
        case .text:
            guard hasBegun || rows >= Self.firstRows else { return false }
            hasBegun = true
            var page = console.renderer.page
            layout.write(part, to: &page)
            try console.write(page.text)
        }
        return true
    }

    /// Prints the end of the table, with the rows that were kept.
    mutating func finish(_ rest: some TablePresentable & JSONPresentable) throws(CommandError) {
        switch console.renderer.form {
        case .json: try console.show(rest)
        case .jsonLines: break
        case .text:
            var page = console.renderer.page
            layout.write(rest, to: &page)
            layout.finish(rest, on: &page)
            try console.write(page.text)
        }
    }
}
