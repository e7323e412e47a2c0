public import Cleat
import CleatSettings

extension Cleat {
    /// Creates settings that are lost with the program, for tests: they are validated, edited, put on trial and followed
    /// by the same code as those of a board.
    ///
    /// ```swift
    /// let cleat = try await Cleat.inMemory(declaring: .brightness, .scenes, .label)
    /// try await cleat.edit { $0[.brightness] = 10 }
    /// ```
    /// The settings of the board can be set, and nothing follows them. There are no links and no devices.
    ///
    /// - Parameters:
    ///   - schemas: JSON Schema texts like those in `schema.d`; they are added to the built-in settings.
    ///   - files: the files of the areas, by their names, such as a `Sandbox` in a directory of the test.
    ///   - keys: the keys that the program uses. If no schema has a key's path, the schema that is made from the key
    ///     applies there.
    /// - Returns: a client without any values.
    /// - Throws: ``/Cleat/CleatError``: `refused` and every problem if a schema is invalid, or none can be made from a
    ///   key; `failed` if there is no place for a temporary directory.
    public static func inMemory<each Value>(
        schemas: [String] = [], files: [String: any Files & FilesWatching] = [:],
        declaring keys: repeat SettingKey<each Value>
    ) async throws(CleatError) -> Cleat {
        let schema = try schema(of: schemas, and: SettingKeys(repeat each keys))
        return Cleat(
            try await EmbeddedBackend.open(
                .memory(try MemoryDirectory()), schema: schema, files: files, log: nil,
                PublishedSettings(schema: schema)))
    }

    private static func schema(of texts: [String], and keys: SettingKeys) throws(CleatError) -> Schema {
        var schema = Schema.builtIn
        do {
            for (index, text) in texts.enumerated() {
                let file = "schema \(index + 1)"
                schema = try schema.merged(with: try SchemaText.read(Array(text.utf8), file: file), from: file)
            }
            let others = keys.outside(schema)
            if others.paths.isEmpty { return schema }
            return try schema.merged(
                with: try SchemaText.read(Array(try others.schema().utf8), file: "keys"), from: "keys")
        } catch let error as CleatError {
            throw error
        } catch {
            throw CleatError(
                .refused, "a schema cannot be used", problems: [.init(path: "", code: "schema", reason: "\(error)")])
        }
    }
}
