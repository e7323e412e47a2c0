import ArgumentParser

/// `cleat schema`.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Check documents and schemas, and print the schema in force.",
        discussion: """
            Examples:
              cleat schema validate pump.schema.json pump.json
              cleat schema check schema.d/*.json
              cleat schema export > board.schema.json
            """,
        subcommands: [SchemaValidateCommand.self, SchemaCheckCommand.self, SchemaExportCommand.self])
}
