/// A view model that can be printed as text.
protocol TextPresentable: Sendable {
    /// Writes the view's lines.
    func write(to page: inout TextPage)
}
