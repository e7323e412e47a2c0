import CleatViews
import SystemPackage

/// Shows the progress of a transfer on standard error if that is a terminal.
final class TransferProgress {
    private static let width = 78
    private static let barWidth = 20

    private let isShown: Bool
    private let now: () -> ContinuousClock.Instant
    private let write: (String) -> Void
    private var line: Line?
    private var shown: (text: String, at: ContinuousClock.Instant)?

    private struct Line {
        let verb: String
        let name: String
        let total: Int64
        let start: Int64
        let began: ContinuousClock.Instant
        var done: Int64
    }

    /// Creates a progress line that is printed only if `isShown` is true.
    init(
        isShown: Bool, now: @escaping () -> ContinuousClock.Instant = { .now },
        write: @escaping (String) -> Void = Console.printError
    ) {
        self.isShown = isShown
        self.now = now
        self.write = write
    }

    /// Creates a progress line that is printed if the output is text and standard error is a terminal.
    convenience init(_ console: Console) {
        self.init(isShown: console.renderer.form == .text && Process.isTerminal(.standardError))
    }

    /// Starts the progress of a file, or of its next step.
    func begin(_ verb: String, _ name: String, total: Int64, from start: Int64 = 0) {
        guard isShown else { return }
        line = Line(verb: verb, name: name, total: total, start: start, began: now(), done: start)
        show(always: true)
    }

    /// Sets the total number of bytes that are done.
    func advance(to done: Int64) {
        guard isShown else { return }
        line?.done = done
        show(always: false)
    }

    /// Clears the line, so that other output can be printed.
    func clear() {
        guard isShown, let shown else { return }
        write("\r" + String(repeating: " ", count: shown.text.displayWidth) + "\r")
        self.shown = nil
    }

    private func show(always: Bool) {
        guard let line else { return }
        let instant = now()
        // More than ten updates a second cannot be read.
        if !always, let shown, shown.at.duration(to: instant) < .milliseconds(100), line.done < line.total { return }
        let text = Self.text(
            verb: line.verb, name: line.name, done: line.done, total: line.total, moved: line.done - line.start,
            elapsed: line.began.duration(to: instant))
        let rest = max(0, (shown?.text.displayWidth ?? 0) - text.displayWidth)
        write("\r" + text + String(repeating: " ", count: rest))
        shown = (text, instant)
    }

    /// Formats one line: verb, name, bar, percentage, size, speed.
    static func text(
        verb: String, name: String, done: Int64, total: Int64, moved: Int64, elapsed: Duration
    ) -> String {
        let share = total > 0 ? Int(min(max(0, done), total) * 100 / total) : 100
        let filled = barWidth * share / 100
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled)
        let milliseconds = max(
            1, elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000)
        // The first half second gives no useful speed.
        let speed = milliseconds < 500 ? "" : "  \((moved * 1000 / milliseconds).shownBytes)/s"
        let end = " [\(bar)] \(share)%  \(done.shownBytes)\(speed)"
        let space = max(8, width - verb.count - 1 - end.count)
        var shownName = name.printable
        if shownName.count > space { shownName = "…" + shownName.suffix(space - 1) }
        return "\(verb) \(shownName)\(end)"
    }
}

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
