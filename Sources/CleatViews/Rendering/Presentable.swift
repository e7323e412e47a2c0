public import CleatJSON

/// A view model that can be printed as text.
public protocol TextPresentable: Sendable {
    /// Writes the view's lines.
    func write(to page: inout TextPage)
}

/// A view model that can be printed as JSON.
public protocol JSONPresentable: Sendable {
    /// The view as one JSON value.
    var json: JSONValue { get }
    /// The view as JSON values that are printed one a line.
    var jsonLines: [JSONValue] { get }
}

extension JSONPresentable {
    /// The whole view as one line.
    public var jsonLines: [JSONValue] { [json] }
}
