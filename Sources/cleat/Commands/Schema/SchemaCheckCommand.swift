import ArgumentParser
import CleatViews

/// `cleat schema check`.
struct SchemaCheckCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check whether the service would accept schema files.",
        usage: "cleat schema check [<options>] <file> ...",
        discussion: """
            Each file is read as the service reads those in schema.d, together with Cleat's built-in settings and the \
            preceding files of the command line: two files must not define one setting. Rules for files and commands \
            that follow settings (x-cleat-apply) are checked with all of them, and with the templates next to the \
            file; owners and programs are checked on the board only. No service is needed. The file - is standard \
            input.

            Examples:
              cleat schema check pump.json
              cleat schema check --output json /usr/share/cleat/schema.d/*.json

            Exit status: 0 the service would take all of them, 65 it would not.
            """)

    @Option(help: .init("The output format: text, json or json-lines.", valueName: "form"))
    var output: OutputForm = .text

    @Argument(help: .init("The files.", valueName: "file"), completion: .file())
    var files: [String]

    func run(on console: Console) throws(CommandError) {
        try SchemaFileCheck(files: files).run(on: console)
    }
}
