import CleatJSON
import CleatSettings

/// Reads the rows of the table of settings, in the order of their paths, each with the author of its generation.
final class SettingsReader {
    /// The query whose rows it takes.
    static let query = "SELECT path, value, generation FROM settings ORDER BY path"

    private let database: Database
    /// The settings so far.
    private(set) var settings: [StoredSetting] = []
    /// The paths of the rows that this release cannot read.
    private(set) var unreadable: [String] = []
    /// The authors by the numbers of their generations: one change often has set many settings.
    private var authors: [Int64: String?] = [:]

    init(_ database: Database) { self.database = database }

    /// Takes the present row of a statement.
    func add(_ row: Statement) throws(SQLiteError) {
        let text: String = try row.column(0)
        guard let path = try? SettingPath(text),
            let value = unsafe try row.withText(1, { unsafe try? JSONReader.read($0) })
        else { return unreadable.append(text) }
        let generation: Int64 = try row.column(2)
        settings.append(
            StoredSetting(path: path, value: value, generation: generation, author: try author(of: generation)))
    }

    /// Returns the author of a generation; nil if the history does not have it any more.
    private func author(of generation: Int64) throws(SQLiteError) -> String? {
        if let known = authors[generation] { return known }
        let row = try database.cached("SELECT author FROM generations WHERE number = ?")
        defer { row.reset() }
        try row.bind([.integer(generation)])
        // An author that cannot be read does not make the settings unusable.
        let author: String? = try row.step() ? try? row.column(0, as: String.self) : nil
        authors[generation] = .some(author)
        return author
    }
}
