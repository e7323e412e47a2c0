import ArgumentParser
import CleatSettings
import CleatViews

/// `cleat schema validate`.
struct SchemaValidateCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Validate documents against a JSON Schema, without a service.",
        usage: """
            cleat schema validate [<options>] <schema> <file> ...
            """,
        discussion: """
            The schema is JSON Schema 2020-12; a file that ends in .json5 is read as JSON5, any other as JSON. The \
            schema true accepts every document, so that only its syntax is checked, strictly: a repeated key and text \
            after the end are refused, too. The file - is standard input.

            Examples:
              cleat schema validate pump.schema.json pump.json
              cleat schema validate true *.json
              curl -s http://board.example/state | cleat schema validate --assert-format state.schema.json -

            Exit status: 0 every document is valid, 65 one is not, or cannot be read, or the schema is wrong.
            """)

    @Option(help: .init("The output format: text, json or json-lines.", valueName: "form"))
    var output: OutputForm = .text

    @Flag(help: "Refuse texts that do not have the schema's format.")
    var assertFormat = false

    @Flag(help: .init("Validate one schema and document a line of standard input.", visibility: .hidden))
    var stdinLines = false

    @Argument(
        help: .init("The schema: a file, true or false, and the files to check.", valueName: "schema-and-files"),
        completion: .file())
    var files: [String] = []

    func run(on console: Console) throws(CommandError) {
        let use = JSONSchema.Use.documents(assertFormat: assertFormat)
        if stdinLines {
            guard files.isEmpty else {
                throw .usage(
                    "--stdin-lines takes schemas and documents from standard input only",
                    remedy: "omit \(files[0]), or --stdin-lines")
            }
            return try BatchValidation.run(use, on: console)
        }
        guard let schema = files.first else {
            throw .usage("the schema is missing", remedy: "give it, and the files to check")
        }
        guard files.count > 1 else {
            throw .usage(
                "the files to check against \(schema) are missing", remedy: "name them; - is standard input")
        }
        try DocumentCheck(schema: schema, files: Array(files.dropFirst()), use: use).run(on: console)
    }
}
