public import CleatJSON

/// A view model that is printed as a table in text output.
///
/// ```swift
/// struct LampTable: TablePresentable, JSONPresentable {
///     var lamps: [Lamp]
///     var columns: [String] { ["LAMP", "STATE"] }
///     var rows: [[TextSpan]] { lamps.map { [.init($0.name, .name), .init($0.state)] } }
///     var emptyNote: String { "there is no lamp" }
/// }
/// ```
public protocol TablePresentable: TextPresentable {
    /// The headings of the columns.
    var columns: [String] { get }
    /// The rows, with one cell a column.
    var rows: [[TextSpan]] { get }
    /// The note that is printed if there are no rows.
    var emptyNote: String { get }
    /// The lines below the table.
    var notes: [TextSpan] { get }
}

extension TablePresentable {
    /// No lines.
    public var notes: [TextSpan] { [] }

    /// Writes the headings, the rows and the notes; each column is as wide as its widest cell, up to 60 columns.
    public func write(to page: inout TextPage) {
        var layout = TableLayout()
        layout.write(self, to: &page)
        layout.finish(self, on: &page)
    }
}

/// Writes a table whose rows come in parts, so that not all of them are in memory.
///
/// The columns have the widths of the cells so far; a wider cell of a later part moves the columns from there on.
public struct TableLayout: Sendable {
    /// The maximum width of a column; a wider cell shifts only its own row.
    static let widestPadding = 60

    private var widths: [Int] = []

    /// Creates the layout of a table without rows.
    public init() {}

    /// Writes the rows of one part, and the headings before the first one.
    public mutating func write(_ part: some TablePresentable, to page: inout TextPage) {
        let rows = part.rows
        guard !rows.isEmpty else { return }
        let isFirst = widths.isEmpty
        let heads = isFirst ? part.columns.map { TextSpan($0, .strong) } : []
        if isFirst { widths = heads.map(\.text.displayWidth) }
        for row in rows {
            for (column, cell) in row.enumerated() where column < widths.count {
                widths[column] = max(widths[column], min(cell.text.displayWidth, Self.widestPadding))
            }
        }
        if isFirst { write(heads, to: &page) }
        for row in rows { write(row, to: &page) }
    }

    /// Writes the note of an empty table, and the lines below it.
    public func finish(_ table: some TablePresentable, on page: inout TextPage) {
        if widths.isEmpty { page.line(.init(table.emptyNote, .faint)) }
        for note in table.notes { page.line(note) }
    }

    /// Writes a row, with its cells padded to the widths of their columns, except the last one.
    private func write(_ cells: [TextSpan], to page: inout TextPage) {
        // Padding before an empty last cell would be trailing spaces.
        let last = cells.lastIndex { !$0.text.isEmpty } ?? 0
        for (column, cell) in cells.enumerated() where column <= last {
            page.add(cell)
            guard column < last else { break }
            let fill = column < widths.count ? max(0, widths[column] - cell.text.displayWidth) : 0
            page.add(spaces: fill + 2)
        }
        page.endLine()
    }
}

extension TablePresentable where Self: JSONPresentable {
    /// The rows as a list of objects, whose members are the texts of the cells by the headings in lower case.
    public var json: JSONValue { .array(jsonLines) }

    /// The rows, one object a line.
    public var jsonLines: [JSONValue] {
        rows.map { row in
            .object(JSONObject(zip(columns, row).map { ($0.lowercased(), .string($1.text)) }))
        }
    }
}
