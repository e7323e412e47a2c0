import CleatJSON

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
