/// A view model of what a command has done, which is told even where the view itself cannot be printed.
protocol DeedPresentable: TextPresentable {
    /// What has been done, as the first half of a sentence; nil where nothing was.
    var deed: String? { get }
}
