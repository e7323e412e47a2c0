import CleatAPI
import CleatJSON

/// A view model that can be printed as text.
protocol TextPresentable: Sendable {
    /// Writes the view's lines.
    func write(to page: inout TextPage)
}

/// A view model that can be printed as JSON.
protocol JSONPresentable: Sendable {
    /// The view as one JSON value.
    var json: JSONValue { get }
    /// The view as JSON values that are printed one a line.
    var jsonLines: [JSONValue] { get }
}

extension JSONPresentable {
    var jsonLines: [JSONValue] { [json] }
}

/// A view model of a completed operation, which is reported even if the view itself cannot be printed.
protocol CompletedOperationPresentable: TextPresentable {
    /// The completed operation, as the first half of a sentence; nil if there was none.
    var completedOperation: String? { get }
}

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

extension JSONValue {
    /// Creates the JSON of a value as it is on the wire.
    init(showing value: some WireValue) {
        self = .object(value.wire)
    }
}
