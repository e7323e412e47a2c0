import CleatJSON

/// A view model that can be shown to a program.
protocol JSONPresentable: Sendable {
    /// The view as one value.
    var json: JSONValue { get }
    /// The view as values of one line each.
    var jsonLines: [JSONValue] { get }
}

extension JSONPresentable {
    var jsonLines: [JSONValue] { [json] }
}
