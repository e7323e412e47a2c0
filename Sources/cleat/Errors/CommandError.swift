import CleatAPI
import CleatJSON
import CleatViews

/// Describes the failure of a command: its layer, message, next step, and exit status.
struct CommandError: Error, Hashable, Sendable {
    /// The exit status.
    var status: CommandStatus
    /// The layer that failed.
    var layer: Layer
    /// An identifier for programs: the name of the service's error if there is one.
    var code: String
    /// The message, without a full stop.
    var message: String
    /// One line for each problem, if there are several.
    var details: [String] = []
    /// The next step, without a full stop.
    var remedy: String?
    /// The parameters of the service's error.
    var parameters: JSONObject = [:]

    /// Returns an error that sets only the exit status: the command's output contains the reason, and no more is
    /// printed.
    static func alreadyReported(_ status: CommandStatus) -> CommandError {
        CommandError(status: status, layer: .output, code: reportedCode, message: "")
    }

    /// True if the command's output contains the reason, so that no message is printed.
    var isReported: Bool { code == Self.reportedCode }

    private static let reportedCode = "Reported"

    /// Returns the error for a wrong command line.
    static func usage(_ message: String, remedy: String? = nil) -> CommandError {
        CommandError(status: .usage, layer: .usage, code: "Usage", message: message, remedy: remedy)
    }
}

extension CommandError {
    /// Returns true if it is a given kind of error of the files interface.
    func isAbout(_ kind: FilesError.Kind) -> Bool {
        code == FilesError(kind, message: "").name
    }

    /// Returns the error for a failure to read or write one of the caller's own files.
    static func local(_ message: String, remedy: String? = nil) -> CommandError {
        CommandError(status: .failure, layer: .local, code: "LocalFile", message: message, remedy: remedy)
    }

    /// True if the connection was lost or could not be made; a later attempt may succeed.
    var isLost: Bool { status == .unavailable }

    /// The reason for a failed connection, with the output of ssh if there is any.
    var reason: String {
        parameters["ssh"]?.stringValue?.printable ?? message
    }
}

extension CommandError: TextPresentable {
    func write(to page: inout TextPage) {
        page.line(.init("cleat: ", .strong), .init(message, .bad))
        for detail in details { page.line(.init("  "), .init(detail)) }
        if let remedy { page.line(.init("  "), .init(remedy)) }
    }
}

extension CommandError: JSONPresentable {
    var json: JSONValue {
        var object: JSONObject = [
            "error": .string(code), "layer": .string(layer.rawValue), "message": .string(message),
        ]
        if !details.isEmpty { object["details"] = .array(details.map(JSONValue.string)) }
        if let remedy { object["remedy"] = .string(remedy) }
        object["exit_status"] = .integer(Int64(status.rawValue))
        if !parameters.isEmpty { object["parameters"] = .object(parameters) }
        return .object(object)
    }
}

/// The exit status of the process.
struct CommandStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    /// The command succeeded.
    static let success = CommandStatus(rawValue: 0)
    /// Any other failure.
    static let failure = CommandStatus(rawValue: 1)
    /// A condition could not be checked, as with grep and diff.
    static let unchecked = CommandStatus(rawValue: 2)
    /// The change was reverted.
    static let reverted = CommandStatus(rawValue: 10)
    /// The change could not be reverted completely.
    static let revertFailed = CommandStatus(rawValue: 11)
    /// The command line is wrong (EX_USAGE).
    static let usage = CommandStatus(rawValue: 64)
    /// A value is invalid or a setting is unknown (EX_DATAERR).
    static let invalid = CommandStatus(rawValue: 65)
    /// The service cannot be reached (EX_UNAVAILABLE).
    static let unavailable = CommandStatus(rawValue: 69)
    /// The settings have changed since the change was prepared (EX_TEMPFAIL).
    static let conflict = CommandStatus(rawValue: 75)
    /// The caller lacks the permission (EX_NOPERM).
    static let denied = CommandStatus(rawValue: 77)
}

/// The layer at which a command failed, from the command line to the system.
enum Layer: String, Sendable, CaseIterable {
    /// Parsing the command line.
    case usage
    /// Resolving the name of the remote board.
    case resolve
    /// Connecting to the service.
    case connect
    /// Authenticating the caller to the remote board, and the board's host key.
    case authenticate
    /// Starting the relay on the remote board, or a service of the command's own.
    case start
    /// Exchanging messages with the service.
    case speak
    /// Checking the caller's permissions.
    case authorise
    /// Checking the request against the schema and the history.
    case validate
    /// Reading or writing the store.
    case store
    /// Accessing the board's files.
    case files
    /// Accessing the caller's own files.
    case local
    /// Applying the settings to the system, or running a hook.
    case apply
    /// Confirming or reverting a change on trial.
    case confirm
    /// Finding an object: it does not exist.
    case lookup
    /// Writing the command's own output.
    case output
}
