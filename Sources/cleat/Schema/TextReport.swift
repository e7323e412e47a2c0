/// Prints what is wrong with texts: each at once, or all at the end where one JSON document is wanted.
struct TextReport {
    private let console: Console
    private var texts: [CheckedTextView] = []
    private var refused = 0
    private var count = 0

    init(console: Console) {
        self.console = console
    }

    /// Prints, or keeps, what is wrong with one text.
    mutating func add(_ text: CheckedTextView) throws(CommandError) {
        count += 1
        if !text.isValid { refused += 1 }
        if console.renderer.form == .json { texts.append(text) } else { try console.showItem(text) }
    }

    /// Prints what was kept, and fails where something was wrong.
    ///
    /// - Parameter what: what a text is, in the singular: `document`.
    /// - Throws: how many were refused.
    func end(_ what: String) throws(CommandError) {
        if console.renderer.form == .json { try console.show(CheckedTextListView(texts: texts)) }
        guard refused > 0 else { return }
        throw CommandError(
            status: .invalid, layer: .validate, code: "Invalid",
            message: count == 1
                ? "the \(what) is refused" : "\(refused) of \(count) \(what)s \(refused == 1 ? "is" : "are") refused")
    }
}
