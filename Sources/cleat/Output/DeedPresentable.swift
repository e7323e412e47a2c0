/// A view model of a completed operation, which is reported even if the view itself cannot be printed.
protocol DeedPresentable: TextPresentable {
    /// The completed operation, as the first half of a sentence; nil if there was none.
    var deed: String? { get }
}
