/// The form of what a command prints.
enum OutputForm: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// One JSON document.
    case json
    /// One JSON value a line.
    case jsonLines = "json-lines"
}
