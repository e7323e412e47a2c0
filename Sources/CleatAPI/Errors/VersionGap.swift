package import CleatJSON
package import CleatVarlink

/// The explanation of a call that a service of another release does not understand.
package struct VersionGap: Equatable, Sendable {
    /// The fact, without a full stop.
    package let message: String
    /// The next step, without a full stop.
    package let remedy: String

    /// Reads an error of the Varlink protocol.
    ///
    /// A later service has all methods of earlier ones, so one that lacks a method is older than the client.
    /// - Returns: nil for any other error.
    package init?(_ error: VarlinkError) {
        func text(_ key: String) -> String { error.parameters[key]?.stringValue ?? "" }
        switch error.name {
        case "org.varlink.service.MethodNotFound", "org.varlink.service.MethodNotImplemented":
            message = "the service is older than this program: it has no method \(text("method"))"
            remedy = Self.update
        case "org.varlink.service.InterfaceNotFound":
            message = "the service is older than this program: it has no interface \(text("interface"))"
            remedy = Self.update
        case "org.varlink.service.InvalidParameter":
            message = "the service does not accept the parameter \(text("parameter")) of the call"
            remedy = "correct its value; if it is valid, the service is older than this program: \(Self.update)"
        default: return nil
        }
    }

    /// The next step if the service is older than the client.
    package static let update = "install cleatd \(CleatVersion.text) or newer on the board, and restart it"
}

extension EventsInterface.Subscribe.Reply {
    /// Returns true if a reply has an event of a source that only later releases know; such events are skipped.
    package static func isOfLaterSource(_ reply: JSONObject) -> Bool {
        guard let source = reply["event"]?.objectValue?["source"]?.stringValue else { return false }
        return EventSource(rawValue: source) == nil
    }
}
