import CleatJSON

/// Prints one sentence, such as that nothing was changed.
struct NoteView: TextPresentable, JSONPresentable {
    var note: String
    /// The state for JSON output, like that of a commit.
    var state: String

    func write(to page: inout TextPage) {
        page.line(.init(note, .faint))
    }

    var json: JSONValue { ["state": .string(state), "note": .string(note)] }
}
