import CleatAPI
import CleatJSON
import CleatViews

/// Prints one run of a hook: the output of `cleat hook run`.
struct HookRunView: TextPresentable, JSONPresentable {
    var reply: HooksInterface.Run.Reply

    func write(to page: inout TextPage) {
        guard let run = reply.run else { return }
        if !reply.matches { page.line(.init("the hook does not match this event; it was forced to run", .faint)) }
        page.line(
            .init(run.outcome, run.succeeded ? .good : .bad), .init(" after \(run.duration) ms"),
            .init("  \(run.event)", .faint))
        // Line ends in the hook's output are kept; other control characters are escaped.
        for line in run.output.split(separator: "\n", omittingEmptySubsequences: false).dropLastEmpty() {
            page.line(.init("  | ", .faint), .init(String(line)))
        }
        let cut = run.outputBytes - Int64(run.output.utf8.count)
        if cut > 0 { page.line(.init("  (\(cut) more bytes of output)", .faint)) }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}

extension Array<Substring> {
    /// Returns the lines without the empty one after a final line end.
    fileprivate func dropLastEmpty() -> ArraySlice<Substring> {
        last?.isEmpty == true ? dropLast() : self[...]
    }
}
