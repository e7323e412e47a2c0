/// A piece of a line: unescaped text, and its style.
struct TextSpan: Hashable, Sendable {
    var text: String
    var style: TextStyle

    init(_ text: String, _ style: TextStyle = .plain) {
        self.text = text
        self.style = style
    }
}
