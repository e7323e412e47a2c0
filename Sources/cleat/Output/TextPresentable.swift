/// A view model that can be shown to a person.
protocol TextPresentable {
    /// Writes the view's lines.
    func write(to page: inout TextPage)
}
