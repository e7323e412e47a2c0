import ArgumentParser

/// `cleat schema check`.
struct SchemaCheckCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Say whether files are schemas of settings that the service would take.",
        usage: "cleat schema check [<options>] <file> ...",
        discussion: """
            Each file is read as the service reads those in schema.d, beside the settings that Cleat has by itself and \
            the files that stand before it on the command line: two files must not define one setting. Rules for files \
            and commands that follow settings (x-cleat-apply) are read beside all of them, with the templates that stand \
            beside the file; whether owners and programs are there is seen on the board only. No service is needed. As \
            a file, - is standard input.

            Examples:
              cleat schema check pump.json
              cleat schema check --output json /usr/share/cleat/schema.d/*.json

            Exit status: 0 the service would take all of them, 65 it would not.
            """)

    @Option(help: .init("The form of the output: text, json or json-lines.", valueName: "form"))
    var output: OutputForm = .text

    @Argument(help: .init("The files.", valueName: "file"), completion: .file())
    var files: [String]

    func run(on console: Console) throws(CommandError) {
        try SchemaFileCheck(files: files).run(on: console)
    }
}
