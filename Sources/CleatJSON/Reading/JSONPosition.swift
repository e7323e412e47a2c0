/// A place in a document, as editors count.
public struct JSONPosition: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1; lines end with LF, CR LF or CR.
    public var line: Int
    /// The column in Unicode scalars, from 1.
    public var column: Int

    /// Makes a position.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position as `line 3, column 7`.
    public var description: String { "line \(line), column \(column)" }
}
