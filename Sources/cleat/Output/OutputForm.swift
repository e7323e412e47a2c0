/// The output format.
enum OutputForm: String, CaseIterable, Sendable {
    /// Text for people.
    case text
    /// One JSON document.
    case json
    /// One JSON value a line.
    case jsonLines = "json-lines"
}
