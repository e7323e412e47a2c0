import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat file stat`.
struct FileStatusCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Show the status of a file of the board.",
        usage: "cleat file stat [<options>] <area/path>",
        discussion: """
            Examples:
              cleat file stat documents/certs/ca.pem
              cleat file stat --sha256 library/firmware.img
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(name: .customLong("sha256"), help: "Compute the file's SHA-256 on the board, too.")
    var digest = false

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var target: String

    var request: any ServiceRequest { FileStatusRequest(digest: digest, target: target) }
}

/// The request of `cleat file stat`.
struct FileStatusRequest: ServiceRequest {
    let digest: Bool
    let target: String

    func run(in context: CommandContext) throws(CommandError) {
        let target = try FileTarget(target)
        let session = try context.session()
        let found = try session.call(FilesInterface.Stat.self, target.place)
        var view = FileStatusView(area: target.area, entry: found.entry, token: found.token)
        view.realPath = found.realPath
        if digest {
            view.sha256 = try session.call(
                FilesInterface.Hash.self, .init(area: target.area, path: target.path, token: found.token)
            ).sha256
        }
        try context.console.show(view)
    }
}

extension FileStatusRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        digest = words.flag("--sha256")
        target = words.requiredOperand()
    }
}

/// `cleat file exists`.
struct FileExistsCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "exists",
        abstract: "Check whether a path exists on the board.",
        usage: "cleat file exists [<options>] <area/path>",
        discussion: """
            Prints nothing. The exit status is 0 if the path exists and the service has the access that the options \
            name, 1 if not, and 2 if it could not be checked. Links are not followed, and are not readable.

            Examples:
              cleat file exists documents/ca.pem || cleat file put ca.pem documents/
              cleat file exists --writable library
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Check that the service can read the file or list the directory.")
    var readable = false

    @Flag(help: "Check that the service can write the file or change the directory.")
    var writable = false

    @Flag(name: .shortAndLong, help: "Print the result.")
    var verbose = false

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var target: String

    var request: any ServiceRequest {
        FileExistsRequest(readable: readable, writable: writable, verbose: verbose, target: target)
    }
}

/// The request of `cleat file exists`.
struct FileExistsRequest: ServiceRequest {
    let readable: Bool
    let writable: Bool
    let verbose: Bool
    let target: String

    func run(in context: CommandContext) throws(CommandError) {
        do throws(CommandError) {
            let target = try FileTarget(target)
            var found = try context.session().look(at: target)
            if target.endsInSlash, found?.entry.type != .directory { found = nil }
            if let found, readable || writable, found.readable == nil || found.writable == nil {
                throw CommandError(
                    status: .unchecked, layer: .speak, code: "Reply",
                    message: "the service is older than this program: it does not report access",
                    remedy: VersionGap.update)
            }
            let view = FileExistenceView(target: target, found: found)
            if verbose || context.console.renderer.form != .text { try context.console.show(view) }
            guard let found, !readable || found.readable == true, !writable || found.writable == true else {
                throw .alreadyReported(.failure)
            }
        } catch {
            var error = error
            if error.status == .failure, !error.isReported { error.status = .unchecked }
            throw error
        }
    }
}

extension FileExistsRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        readable = words.flag("--readable")
        writable = words.flag("--writable")
        verbose = words.flag("--verbose", "-v")
        target = words.requiredOperand()
    }
}
