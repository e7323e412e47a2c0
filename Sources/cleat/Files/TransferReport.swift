/// Tells which files went: each at once where lines are printed, all of them at the end where one value is.
final class TransferReport {
    private let console: Console
    private var view: FileTransferView

    init(way: FileTransferView.Way, console: Console) {
        self.console = console
        view = FileTransferView(way: way)
    }

    /// Tells of files.
    func add(_ part: FileTransferView) throws(CommandError) {
        guard console.renderer.form == .json else { return try console.showItem(part) }
        view.items += part.items
        view.skipped += part.skipped
    }

    /// Tells what has not been told yet.
    func finish() throws(CommandError) {
        if console.renderer.form == .json { try console.show(view) }
    }
}
