import CleatJSON
import Testing

@testable import CleatSettings

/// A schema with values that it must take and values that it must refuse, all as JSON5.
struct SchemaCase: Sendable, CustomTestStringConvertible {
    let schema: String
    let valid: [String]
    let invalid: [String]

    init(_ schema: String, valid: [String] = [], invalid: [String] = []) {
        self.schema = schema
        self.valid = valid
        self.invalid = invalid
    }

    var testDescription: String { schema }

    /// Checks every value in every way in which it can be checked.
    func check(for use: JSONSchema.Use = .documents(assertFormat: false)) throws {
        let compiled = try JSONSchema(try JSONReader.read(schema, dialect: .json5), for: use)
        for (texts, expected) in [(valid, true), (invalid, false)] {
            for text in texts {
                let value = try JSONReader.read(text, dialect: .json5)
                let report = compiled.validate(value)
                #expect(report.isValid == expected, "\(text): \(report.violations)")
                #expect(compiled.accepts(value) == expected, "\(text)")
                #expect(report.isComplete && report.violations.isEmpty == expected, "\(text)")
                for violation in report.violations {
                    #expect(!violation.reason.isEmpty && !violation.keyword.isEmpty, "\(text)")
                    #expect(violation.schemaPath.utf8.first == UInt8(ascii: "#"), "\(text)")
                }
            }
        }
    }
}

/// Compiles a schema that is written as JSON5.
func compiled(
    _ text: String, for use: JSONSchema.Use = .documents(assertFormat: false)
) throws -> JSONSchema {
    try JSONSchema(try JSONReader.read(text, dialect: .json5), for: use)
}
