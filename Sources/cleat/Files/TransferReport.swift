/// Prints the transferred files: each at once, or for `--output json` all at the end.
final class TransferReport {
    private let console: Console
    private var view: FileTransferView

    init(way: FileTransferView.Way, console: Console) {
        self.console = console
        view = FileTransferView(way: way)
    }

    /// Prints files, or keeps them for the end.
    func add(_ part: FileTransferView) throws(CommandError) {
        guard console.renderer.form == .json else { return try console.showItem(part) }
        view.items += part.items
        view.skipped += part.skipped
    }

    /// Prints the files that were kept.
    func finish() throws(CommandError) {
        if console.renderer.form == .json { try console.show(view) }
    }
}
