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
    /// Appends the text of ``jsonLines``, UTF-8, with a line break after each value.
    func writeJSONLines(into output: inout [UInt8])
}

extension JSONPresentable {
    /// The whole view as one line.
    public var jsonLines: [JSONValue] { [json] }

    /// Writes each value of ``jsonLines``.
    public func writeJSONLines(into output: inout [UInt8]) {
        for value in jsonLines {
            JSONWriter.write(value, into: &output, style: .compact)
            output.append(UInt8(ascii: "\n"))
        }
    }
}
