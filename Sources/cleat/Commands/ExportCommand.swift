import ArgumentParser
import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// `cleat export`.
struct ExportCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print settings as a file for `cleat apply`.",
        usage: "cleat export [<options>] [<prefix>]",
        discussion: """
            Prints the committed settings as JSON5, with the schema's descriptions as comments. Paths are whole, so \
            the text of a prefix can be applied unchanged. Secrets are omitted and named in a comment, and so are \
            stored values that are not in force; `cleat apply --replace` keeps both. With --output json the settings \
            are plain JSON.

            Examples:
              cleat export > board.json5
              cleat export network --format json
              cleat export --defaults
            """)

    /// The formats of the output.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case json5, json
    }

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print all values in force, of every layer, defaults included.")
    var defaults = false

    @Flag(help: "Print secrets, too; only root and the service's own user may.")
    var reveal = false

    @Option(help: .init("The form of the text: json5 (with comments) or json.", valueName: "form"))
    var format: Format?

    @Argument(help: "The path above the settings.", completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    var request: any ServiceRequest {
        ExportRequest(defaults: defaults, reveal: reveal, format: format, prefix: prefix)
    }
}

/// The request of `cleat export`.
struct ExportRequest: ServiceRequest {
    let defaults: Bool
    let reveal: Bool
    let format: ExportCommand.Format?
    let prefix: String?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        let form = context.console.renderer.form
        let isJSON = form == .jsonLines || format ?? (form == .json ? .json : .json5) == .json
        if !isJSON, !defaults,
            let parts = try StreamedExport.text(under: prefix, reveal: reveal, from: session, heading: heading)
        {
            for part in parts { try context.console.write(part) }
            return
        }
        let snapshot = try SettingsSnapshot(
            defaults ? .present(defaults: true) : .committed, under: prefix, reveal: reveal, from: session)
        if isJSON {
            let style: JSONWriter.Style = form == .jsonLines ? .compact : .pretty
            try context.console.write(JSONWriter.write(SettingsText(snapshot: snapshot).value, style: style) + "\n")
            return
        }
        let outline = try SchemaOutline(from: session)
        try SettingsText(snapshot: snapshot, outline: outline, heading: heading(snapshot.reference)).writeJSON5 {
            (part: String) throws(CommandError) in try context.console.write(part)
        }
    }

    /// Returns the comment at the top.
    private func heading(_ reference: GenerationRef) -> String {
        let which = defaults ? "Settings in force" : "Committed settings"
        return "\(which)\(prefix.map { " below \($0)" } ?? ""), generation \(reference.generation) of store "
            + "\(reference.store)."
    }
}

extension ExportRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        defaults = words.flag("--defaults")
        reveal = words.flag("--reveal")
        format = words.choice("--format")
        prefix = words.operand()
    }
}
