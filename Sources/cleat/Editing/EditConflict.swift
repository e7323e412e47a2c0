import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// The changes that other clients made while a text was edited.
struct EditConflict {
    /// The present settings.
    let present: SettingsSnapshot
    /// The differences between the settings that the text was based on and the present ones.
    let changes: [ChangeRecord]
    /// The generations that were committed meanwhile, the newest first.
    let generations: [Generation]
    private let since: GenerationRef
    private let touched: Set<String>
    private let omitted: Int?

    /// The maximum number of generations and of changes that are listed.
    private static let shown = 32

    /// Asks the service for the changes.
    init(
        since base: SettingsSnapshot, under prefix: SettingPath?, mine: [RequestedChange], _ session: Session
    ) throws(CommandError) {
        since = base.reference
        present = try SettingsSnapshot(.committed, under: prefix?.text, from: session)
        touched = Set(mine.map(\.path))
        guard present.reference.store == since.store, present.reference.generation > since.generation else {
            // The store was replaced: there is no history between the two states.
            (changes, generations, omitted) = ([], [], nil)
            return
        }
        let difference = try session.call(
            SettingsInterface.Diff.self, .init(from: since.generation, to: present.reference.generation))
        changes = difference.changes
        omitted = difference.omitted
        let log = try session.call(SettingsInterface.Log.self, .init(limit: Self.shown))
        generations = log.generations.filter { [since] in $0.number > since.generation }
    }

    /// The lines that list the generations and the changes.
    var lines: [String] {
        var lines = generations.map { generation in
            "#\(generation.number)  \(generation.shownTime)  \(generation.author)"
                + (generation.comment.map { "  \($0)" } ?? "")
        }
        for change in changes.prefix(Self.shown) {
            let isMine = touched.contains(change.path) ? "  (you change it, too)" : ""
            lines.append("  " + change.spans.map(\.text).joined() + isMine)
        }
        let rest = max(0, changes.count - Self.shown) + (omitted ?? 0)
        if rest > 0 { lines.append("  and \(rest) more changes") }
        if present.reference.store != since.store {
            lines.append("the store is another one: \(present.reference.store)")
        }
        return lines
    }

    /// The lines that are shown before the question.
    var question: [String] {
        ["The settings changed while you edited them (generation \(since.generation)):"] + lines
    }

    /// The error if the user cannot be asked.
    var error: CommandError {
        let conflict = APIError.conflict(
            present.reference,
            message: "the settings changed while they were edited: they are of generation "
                + "\(present.reference.generation), and no longer of \(since.generation)")
        var error = CommandError(conflict)
        error.details = lines
        error.remedy = "edit them again over the present state"
        return error
    }
}
