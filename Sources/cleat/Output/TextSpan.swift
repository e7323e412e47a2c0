/// A piece of a line: text as it came, and how it should stand out.
struct TextSpan: Hashable, Sendable {
    var text: String
    var style: TextStyle

    init(_ text: String, _ style: TextStyle = .plain) {
        self.text = text
        self.style = style
    }
}
