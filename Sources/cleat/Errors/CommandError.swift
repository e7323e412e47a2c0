import CleatJSON

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
    static func alreadyTold(_ status: CommandStatus) -> CommandError {
        CommandError(status: status, layer: .output, code: toldCode, message: "")
    }

    /// True if the command's output contains the reason, so that no message is printed.
    var isTold: Bool { code == Self.toldCode }

    private static let toldCode = "Told"

    /// Returns the error for a wrong command line.
    static func usage(_ message: String, remedy: String? = nil) -> CommandError {
        CommandError(status: .usage, layer: .usage, code: "Usage", message: message, remedy: remedy)
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
