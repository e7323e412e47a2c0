import ArgumentParser
import CleatJSON
import CleatSettings
import CleatViews

/// `cleat schema export`.
struct SchemaExportCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the schema of all settings as one JSON Schema.",
        usage: "cleat schema export [<options>]",
        discussion: """
            The schema files in schema.d and Cleat's built-in settings are merged into one schema, so that other \
            programs can validate settings before they send them, and editors can complete them. With --builtin no \
            service is needed.

            Examples:
              cleat schema export > board.schema.json
              cleat schema export --builtin | cleat schema validate - settings.json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print only the built-in settings; no service is needed.")
    var builtin = false

    func run(in context: CommandContext) throws(CommandError) {
        let schema =
            builtin ? Schema.builtIn.json : try SchemaDownload(session: context.session()).schema()
        let console = context.console
        let text = JSONWriter.write(schema, style: console.renderer.form == .jsonLines ? .compact : .pretty) + "\n"
        guard console.isInteractive else { return try console.write(text) }
        var page = TextPage(colour: false)
        for line in text.split(separator: "\n") { page.line(.init(String(line))) }
        try console.write(page.text)
    }
}
