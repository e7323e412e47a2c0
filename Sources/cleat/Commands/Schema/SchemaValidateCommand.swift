import ArgumentParser
import CleatSettings

/// `cleat schema validate`.
struct SchemaValidateCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Check documents against a JSON Schema, without a service.",
        usage: """
            cleat schema validate [<options>] <schema> <file> ...
            cleat schema validate [<options>] --stdin-lines
            """,
        discussion: """
            The schema is JSON Schema 2020-12; a file that ends in .json5 is read as JSON5, any other as JSON. The \
            schema true takes every document, so that only its syntax is checked, strictly: a key that stands twice and \
            text after the end are refused, too. As a file, - is standard input.

            With --stdin-lines, each line of standard input is an object with the members schema and data, and is \
            answered by one line: {"valid":true}, {"valid":false,"errors":[…]}, or {"error":…} where the line, its \
            schema or its data cannot be read.

            Examples:
              cleat schema validate pump.schema.json pump.json
              cleat schema validate true *.json
              curl -s http://board.example/state | cleat schema validate --assert-format state.schema.json -
              printf '{"schema":{"type":"string"},"data":7}\\n' | cleat schema validate --stdin-lines

            Exit status: 0 every document is valid, 65 one is not, or cannot be read, or the schema is wrong. With \
            --stdin-lines: 0 every line was judged, 65 one could not be.
            """)

    @Option(help: .init("The form of the output: text, json or json-lines.", valueName: "form"))
    var output: OutputForm = .text

    @Flag(help: "Refuse texts that have not the format that the schema asks for.")
    var assertFormat = false

    @Flag(help: "Judge one schema and document a line of standard input.")
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
                    remedy: "leave out \(files[0]), or leave out --stdin-lines")
            }
            return try LineJudgement.run(use, on: console)
        }
        guard let schema = files.first else {
            throw .usage("the schema is missing", remedy: "name it, and the files to check, or use --stdin-lines")
        }
        guard files.count > 1 else {
            throw .usage(
                "the files to check against \(schema) are missing", remedy: "name them; - is standard input")
        }
        try DocumentCheck(schema: schema, files: Array(files.dropFirst()), use: use).run(on: console)
    }
}
