import CleatAPI
import CleatJSON
import CleatViews

/// Prints values in the system: the output of `cleat get --live` and `cleat list --live`.
struct LiveView: TablePresentable, JSONPresentable {
    var reply: SystemInterface.Live.Reply
    /// The setting or group that was requested; nil for all settings.
    var prefix: String?
    /// True if the settings are listed next to the values.
    var isList: Bool

    var columns: [String] { isList ? ["PATH", "LIVE", "SETTING"] : ["PATH", "LIVE"] }

    var rows: [[TextSpan]] {
        reply.values.map { one in
            let setting = one.value.map {
                TextSpan(SettingText.text(of: $0), $0 == one.live ? .plain : .bad)
            }
            let row = [TextSpan(one.path, .name), TextSpan(SettingText.text(of: one.live))]
            return isList ? row + [setting ?? TextSpan("(unset)", .faint)] : row
        }
    }

    var emptyNote: String { "the system has none of these values" }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { reply.values.map { JSONValue(showing: $0) } }

    /// Prints the values: that of the requested setting alone as a bare text.
    ///
    /// - Throws: an error if the requested setting has no value, or some could not be read.
    func print(on console: Console) throws(CommandError) {
        if !isList, reply.problems.isEmpty, reply.values.isEmpty {
            throw CommandError(
                status: .failure, layer: .lookup, code: "NoValue",
                message: "the system has no value for \(prefix ?? "any setting") that Cleat can read",
                remedy: "`cleat list --live` lists those that it has")
        }
        if !isList, console.renderer.form == .text, reply.values.count == 1, reply.values[0].path == prefix {
            let value = reply.values[0].live
            try console.write((value.stringValue ?? JSONWriter.write(value, style: .compact)) + "\n")
        } else {
            try console.show(self)
        }
        guard let problem = reply.problems.first else { return }
        throw CommandError(
            status: .failure, layer: .lookup, code: "Unreadable",
            message: problem + (reply.problems.count > 1 ? " (and \(reply.problems.count - 1) more)" : ""))
    }
}
