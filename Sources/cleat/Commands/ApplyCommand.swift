import ArgumentParser
import CleatAPI
import CleatSettings

/// `cleat apply`.
struct ApplyCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Make settings as a file says, in one transaction.",
        usage: "cleat apply [<options>] <file>|-",
        discussion: """
            The file is JSON or JSON5, with paths from the top: what `cleat export` prints. It is merged into what is \
            there: null unsets, what the file does not name stays. With --replace what was committed becomes exactly \
            what the file says, below --prefix where there is one; secrets and stored values that are not in force \
            stay unless the file names them. Only what differs is sent. A merge is worked out again when somebody \
            else commits meanwhile; a replacement is not, and ends with 75.

            With --file files go along: into the area documents, whole or not at all with the settings, undone, \
            brought back and compared as they are. The setting documents/PATH names what such a file holds. A file has \
            at most 1 MB, and one change brings at most 64 with 4 MB; others belong to `cleat file put`.

            Examples:
              cleat apply board.json5
              cleat apply board.json5 --file certs/ca.pem=./ca.pem --confirm 2m
              cleat apply --check board.json5
              cleat apply --replace --prefix network network.json5 --comment "site 7"
              cleat export | ssh other-board cleat apply -
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @OptionGroup var kind: ChangeKindOptions

    @Flag(help: "Unset what the file does not name.")
    var replace = false

    @Option(
        help: .init("The path that the file is about; nothing else is changed.", valueName: "path"),
        completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    @Option(
        name: .customLong("file"),
        help: .init("A file for the area documents, and where it lies here. Repeatable.", valueName: "path=file"))
    var files: [DocumentFile] = []

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    func validate() throws {
        if replace, kind.volatile { throw ValidationError("--replace is about what is committed, and not --volatile") }
        try files.validate(isVolatile: kind.volatile, besides: file)
    }

    func run(in context: CommandContext) throws(CommandError) {
        let (source, document, path) = try SettingsDocument.read(file: file, prefix: prefix)
        let session = try context.session(for: trial, guardedBy: guarding)
        let documents = try DocumentUploads(files, session, context.console)
        let application = ApplySettings(
            document: try document.adding(documents, from: source), documents: documents, source: source,
            mode: replace ? .replace(path) : .merge, prefix: prefix,
            expect: try write.reference(session), id: write.id, comment: write.comment, volatile: kind.volatile,
            check: kind.check, confirm: trial.window?.milliseconds, until: trial.until)
        let view = try application.run(session)
        try context.console.show(view)
        try trial.follow(view.reply, session, context.console)
    }
}
