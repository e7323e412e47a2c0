import CleatJSON

/// Says why a command failed: at which layer, what, what to do next, and with which exit status.
struct CommandError: Error, Hashable, Sendable {
    /// The exit status.
    var status: CommandStatus
    /// Where it failed.
    var layer: Layer
    /// A name that programs can compare: that of the wire's error where there is one.
    var code: String
    /// What failed, without a full stop.
    var message: String
    /// One line for each thing that is wrong, where there are several.
    var details: [String] = []
    /// What to do next, without a full stop.
    var remedy: String?
    /// What the wire's error carried.
    var parameters: JSONObject = [:]

    /// Ends the command with a status after its output has said why; nothing more is printed.
    static func alreadyTold(_ status: CommandStatus) -> CommandError {
        CommandError(status: status, layer: .output, code: toldCode, message: "")
    }

    /// Whether the command's output has said it all.
    var isTold: Bool { code == Self.toldCode }

    private static let toldCode = "Told"

    /// The command line is wrong.
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
