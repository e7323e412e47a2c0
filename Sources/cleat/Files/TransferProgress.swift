import SystemPackage

/// Shows how far a transfer is, on a terminal's standard error; elsewhere it is silent.
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

    /// Shows nothing unless `isShown`.
    init(
        isShown: Bool, now: @escaping () -> ContinuousClock.Instant = { .now },
        write: @escaping (String) -> Void = Console.complain
    ) {
        self.isShown = isShown
        self.now = now
        self.write = write
    }

    /// Shows it to a person who reads text.
    convenience init(_ console: Console) {
        self.init(isShown: console.renderer.form == .text && Process.isTerminal(.standardError))
    }

    /// Begins a file, or the next thing that is done with it.
    func begin(_ verb: String, _ name: String, total: Int64, from start: Int64 = 0) {
        guard isShown else { return }
        line = Line(verb: verb, name: name, total: total, start: start, began: now(), done: start)
        show(always: true)
    }

    /// Tells how much is done in all.
    func advance(to done: Int64) {
        guard isShown else { return }
        line?.done = done
        show(always: false)
    }

    /// Takes the line away, so that something else can be printed.
    func clear() {
        guard isShown, let shown else { return }
        write("\r" + String(repeating: " ", count: shown.text.printableWidth) + "\r")
        self.shown = nil
    }

    private func show(always: Bool) {
        guard let line else { return }
        let instant = now()
        // Ten times a second is as much as anyone can read.
        if !always, let shown, shown.at.duration(to: instant) < .milliseconds(100), line.done < line.total { return }
        let text = Self.text(
            verb: line.verb, name: line.name, done: line.done, total: line.total, moved: line.done - line.start,
            elapsed: line.began.duration(to: instant))
        let rest = max(0, (shown?.text.printableWidth ?? 0) - text.printableWidth)
        write("\r" + text + String(repeating: " ", count: rest))
        shown = (text, instant)
    }

    /// One line: verb, name, bar, share, amount, speed.
    static func text(
        verb: String, name: String, done: Int64, total: Int64, moved: Int64, elapsed: Duration
    ) -> String {
        let share = total > 0 ? Int(min(max(0, done), total) * 100 / total) : 100
        let filled = barWidth * share / 100
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: barWidth - filled)
        let milliseconds = max(
            1, elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000)
        // The first moments say nothing about the speed.
        let speed = milliseconds < 500 ? "" : "  \((moved * 1000 / milliseconds).shownBytes)/s"
        let end = " [\(bar)] \(share)%  \(done.shownBytes)\(speed)"
        let room = max(8, width - verb.count - 1 - end.count)
        var shownName = name.printable
        if shownName.count > room { shownName = "…" + shownName.suffix(room - 1) }
        return "\(verb) \(shownName)\(end)"
    }
}
