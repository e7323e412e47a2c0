import CleatJSON

/// Says one sentence, such as that there was nothing to do.
struct NoteView: TextPresentable, JSONPresentable {
    var note: String
    /// The same for programs, as the state of a commit is named.
    var state: String

    func write(to page: inout TextPage) {
        page.line(.init(note, .faint))
    }

    var json: JSONValue { ["state": .string(state), "note": .string(note)] }
}
