package import CleatJSON
import CleatOrder

/// Reads schemas from files; every error has a line and a column.
package enum SchemaText {
    /// The limits for a schema's file: 1 MiB, 64 levels deep, 65,536 values.
    package static let limits = JSONLimits(values: 1 << 16)

    /// Reads a schema of settings.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - dialect: JSON or JSON5.
    ///   - file: the name of the file, for errors.
    /// - Returns: the schema, to be merged with others.
    /// - Throws: all faults, with file, line, column and keyword.
    package static func read(
        _ bytes: [UInt8], dialect: JSONDialect = .json, file: String
    ) throws(SchemaErrors) -> Schema {
        let json = try value(bytes, file) { bytes throws(JSONError) in
            try JSONReader.read(bytes, dialect: dialect, limits: limits)
        }
        do {
            return try Schema(json: json, file: file)
        } catch {
            throw located(error, in: bytes, dialect: dialect, file: file)
        }
    }

    /// Reads a schema of settings without one member at the top of the file, which may be most of it: a schema keeps its
    /// source.
    ///
    /// - Parameters:
    ///   - bytes: the text, in JSON.
    ///   - key: the member, which is not a keyword of schemas; faults in it are found only if there are others.
    ///   - file: the name of the file, for errors.
    /// - Returns: the schema, to be merged with others.
    /// - Throws: all faults, with file, line, column and keyword.
    package static func read(
        _ bytes: [UInt8], without key: String, file: String
    ) throws(SchemaErrors) -> Schema {
        let json = try value(bytes, file) { bytes throws(JSONError) in
            try JSONReader.read(bytes, without: key, limits: limits)
        }
        do {
            return try Schema(json: json, file: file)
        } catch {
            // A text that cannot be read as a whole has no places of other faults.
            return try read(bytes, file: file)
        }
    }

    /// Compiles a schema from its text.
    ///
    /// - Parameters:
    ///   - bytes: the text.
    ///   - use: the purpose of the schema.
    ///   - dialect: JSON or JSON5.
    ///   - file: the name of the file, for errors.
    /// - Returns: the schema, to validate values against.
    /// - Throws: all faults, with file, line, column and keyword.
    package static func compile(
        _ bytes: [UInt8], for use: JSONSchema.Use, dialect: JSONDialect = .json, file: String
    ) throws(SchemaErrors) -> JSONSchema {
        let json = try value(bytes, file) { bytes throws(JSONError) in
            try JSONReader.read(bytes, dialect: dialect, limits: limits)
        }
        do {
            return try JSONSchema(json, for: use)
        } catch {
            throw located(error, in: bytes, dialect: dialect, file: file)
        }
    }

    private static func value(
        _ bytes: [UInt8], _ file: String, _ read: ([UInt8]) throws(JSONError) -> JSONValue
    ) throws(SchemaErrors) -> JSONValue {
        do {
            return try read(bytes)
        } catch {
            throw SchemaErrors(
                [SchemaError(code: .invalidText, pointer: [], position: error.position, message: error.message)],
                file: file)
        }
    }

    /// Adds lines and columns to the faults of a schema.
    ///
    /// This parses the text again, because the places of all values would take much memory.
    ///
    /// - Parameters:
    ///   - errors: the faults, with their places in the schema.
    ///   - bytes: the text.
    ///   - dialect: JSON or JSON5.
    ///   - file: the name of the file.
    /// - Returns: the same faults, in the order of the text.
    package static func located(
        _ errors: SchemaErrors, in bytes: [UInt8], dialect: JSONDialect = .json, file: String
    ) -> SchemaErrors {
        var errors = errors
        errors.file = file
        let pointers = errors.problems.map(\.pointer)
        guard
            let locations = try? JSONReader.locate(pointers, in: bytes, dialect: dialect, limits: limits)
        else { return errors }
        for index in errors.problems.indices {
            let pointer = errors.problems[index].pointer
            errors.problems[index].position =
                locations.position(ofKey: pointer) ?? locations.nearestPosition(to: pointer)
        }
        errors.problems = errors.problems.ordered { left, right in
            guard let left = left.position, let right = right.position else { return false }
            return (left.line, left.column) < (right.line, right.column)
        }
        return errors
    }
}
