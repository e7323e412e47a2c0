import ArgumentParser
import CleatAPI
import CleatSettings

/// `cleat apply`.
struct ApplyCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Apply a file of settings in one transaction.",
        usage: "cleat apply [<options>] <file>|-",
        discussion: """
            The file is JSON or JSON5 with whole paths, as `cleat export` prints it. It is merged into the present \
            settings: null unsets, and settings that the file does not name stay. With --replace the committed \
            settings become exactly those of the file, below --prefix if it is given; secrets and stored values that \
            are not in force stay unless the file names them. Only the differences are sent. A merge is computed \
            again if someone else commits meanwhile; a replacement is not, and ends with 75.

            With --file, files are included in the change: they are written to the area documents together with the \
            settings, and are reverted, restored and compared like them. The setting documents/PATH has the hash of \
            such a file. A file has at most 1 MB, and one change includes at most 64 files with 4 MB; use `cleat file \
            put` for others.

            Examples:
              cleat apply board.json5
              cleat apply board.json5 --file certs/ca.pem=./ca.pem --confirm 2m
              cleat apply --check board.json5
              cleat apply --replace --prefix network network.json5 --comment "site 7"
              cleat export | ssh other-board cleat apply -
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @OptionGroup var guarding: GuardOptions

    @OptionGroup var kind: ChangeKindOptions

    @Flag(help: "Unset settings that the file does not name.")
    var replace = false

    @Option(
        help: .init("Change only settings below this path.", valueName: "path"),
        completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    @Option(
        name: .customLong("file"),
        help: .init("A file for the area documents, and its local path. Repeatable.", valueName: "path=file"))
    var files: [DocumentFile] = []

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    func validate() throws {
        if replace, kind.volatile { throw ValidationError("--replace cannot be combined with --volatile") }
        try files.validate(isVolatile: kind.volatile, besides: file)
    }

    func run(in context: CommandContext) throws(CommandError) {
        let (source, document, path) = try SettingsDocument.read(file: file, prefix: prefix)
        let session = try context.changeSession(for: trial, guardedBy: guarding)
        let documents = try DocumentUploads(files, session.service, context.console)
        let application = ApplySettings(
            document: try document.adding(documents, from: source), documents: documents, source: source,
            mode: replace ? .replace(path) : .merge, expect: try write.reference(session.service), id: write.id,
            comment: write.comment, volatile: kind.volatile, check: kind.check, confirm: trial.window?.milliseconds,
            until: trial.until)
        let view = try application.run(session)
        try context.console.show(view)
        try trial.follow(view.reply, session, context.console)
    }
}
