/// A view model that can be shown to a person.
protocol TextPresentable: Sendable {
    /// Writes the view's lines.
    func write(to page: inout TextPage)
}
