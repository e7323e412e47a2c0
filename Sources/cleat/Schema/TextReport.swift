import CleatViews

/// Prints the faults of texts: each text at once, or for `--output json` all at the end.
struct TextReport {
    private let console: Console
    private var texts: [CheckedTextView] = []
    private var refused = 0
    private var count = 0

    init(console: Console) {
        self.console = console
    }

    /// Prints the faults of one text, or keeps them for the end.
    mutating func add(_ text: CheckedTextView) throws(CommandError) {
        count += 1
        if !text.isValid { refused += 1 }
        if console.renderer.form == .json { texts.append(text) } else { try console.showItem(text) }
    }

    /// Prints the faults that were kept, and throws an error if any text was refused.
    ///
    /// - Parameter what: the kind of the texts, in the singular: `document`.
    /// - Throws: an error with the number of refused texts.
    func end(_ what: String) throws(CommandError) {
        if console.renderer.form == .json { try console.show(CheckedTextListView(texts: texts)) }
        guard refused > 0 else { return }
        throw CommandError(
            status: .invalid, layer: .validate, code: "Invalid",
            message: count == 1
                ? "the \(what) is refused" : "\(refused) of \(count) \(what)s \(refused == 1 ? "is" : "are") refused")
    }
}
