import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// Opens settings in an editor, and commits the differences; implements `cleat edit`.
struct EditSettings {
    /// The result of editing.
    enum End {
        /// Nothing was changed, with the reason.
        case nothing(String)
        case done(ApplicationView)
    }

    private let session: ChangeSession
    private let prefix: SettingPath?
    private let id: String?
    private let comment: String?
    /// The confirm window in milliseconds; nil if there is no trial, or ``until`` alone starts one.
    private let confirm: Int64?
    /// The probes that confirm the change by themselves.
    private let until: [String]?
    private let outline: SchemaOutline
    private let file: EditorFile
    private let editor = EditorFile.editor
    /// The settings that the text is compared with.
    private var base: SettingsSnapshot

    init(
        session: ChangeSession, prefix: SettingPath?, id: String?, comment: String?, confirm: Int64? = nil,
        until: [String]? = nil
    ) throws(CommandError) {
        self.session = session
        self.prefix = prefix
        self.id = id
        self.comment = comment
        self.confirm = confirm
        self.until = until
        base = try SettingsSnapshot(.committed, under: prefix?.text, from: session.service)
        outline = try SchemaOutline(from: session.service)
        file = try EditorFile()
    }

    /// Opens the editor repeatedly, until the text can be committed or nothing remains to be done.
    mutating func run() throws(CommandError) -> End {
        let original = EditorText(text(of: base))
        var shown = original
        var problems: [SettingsDocument.Problem] = []
        // Each round opens the editor once; a text that is unchanged after an error ends the loop.
        while true {
            try file.write(shown.text(with: problems))
            if let end = try file.edit(with: editor) { throw failure(of: end, shown: shown, original: original) }
            let text = EditorText(try file.read())
            if text.isEmpty { return .nothing("the text was emptied; nothing was changed") }
            if !problems.isEmpty, text == shown { throw givenUp(problems) }
            if text == original { return .nothing("the text was not changed; nothing was changed") }
            file.holdsWork()
            shown = text
            switch try commit(text) {
            case .end(let end): return end
            case .wrong(let found): problems = found
            case .again(let text, let found): (shown, problems) = (text, found)
            }
        }
    }

    private enum Step {
        case end(End)
        /// Open the same text again, with messages.
        case wrong([SettingsDocument.Problem])
        /// Open another text, with messages.
        case again(EditorText, [SettingsDocument.Problem])
    }

    private mutating func commit(_ text: EditorText) throws(CommandError) -> Step {
        let document: SettingsDocument
        do {
            document = try SettingsDocument.read(Array(text.text.utf8), under: prefix)
        } catch {
            return .wrong([error])
        }
        let comparison = SettingsComparison(document, with: base, outline: outline, mode: .replace(prefix))
        guard comparison.changes.count <= APILimits.changes else {
            return .wrong([
                .init(
                    position: .init(line: 1, column: 1),
                    message: "\(comparison.changes.count) settings are changed here, and one transaction takes at most "
                        + "\(APILimits.changes)")
            ])
        }
        if comparison.changes.isEmpty { return .end(.nothing("nothing differs; nothing was changed")) }
        while true {
            do {
                let reply = try session.set(
                    .init(
                        changes: comparison.changes, id: id, expect: base.reference, comment: comment,
                        confirm: confirm, until: until))
                return .end(.done(ApplicationView(reply: reply)))
            } catch {
                if let found = document.problems(about: error), !found.isEmpty { return .wrong(found) }
                guard error.isConflict else { throw kept(error) }
                let news = try EditConflict(since: base, under: prefix, mine: comparison.changes, session.service)
                guard Question.canBeAsked else { throw kept(news.error) }
                Console.printError(news.question.map(\.printable).joined(separator: "\n") + "\n")
                let answer = try Question.ask(
                    "Edit again over the present state, merge yours into it, or quit? [e/m/q] ", ["e", "m", "q"])
                guard answer == "e" || answer == "m" else { throw kept(news.error) }
                base = news.present
                if answer == "e" { return try again(comparison.changes, news) }
            }
        }
    }

    /// Merges the user's changes into the present settings, with messages at the settings that other clients changed.
    private func again(_ changes: [RequestedChange], _ news: EditConflict) throws(CommandError) -> Step {
        var merged = news.present
        // Removals come first: an entry that loses its settings but stays is created after that.
        for change in changes.filter({ $0.value == nil }) + changes.filter({ $0.value != nil }) {
            guard let path = try? SettingPath(change.path),
                let set = try? ChangeSet([Change(path, change.value)])
            else { continue }
            merged.settings.apply(set)
            if change.value != nil {
                merged.withheld[path] = nil
                merged.defaults[path] = nil
            }
        }
        let text = EditorText(text(of: merged))
        let document: SettingsDocument
        do {
            document = try SettingsDocument(Array(text.text.utf8))
        } catch {
            throw kept(news.error)
        }
        return .again(
            text,
            news.changes.map { record in
                .init(
                    position: document.position(of: record.path),
                    message: "changed by another user: " + record.spans.map(\.text).joined())
            })
    }

    private func text(of snapshot: SettingsSnapshot) -> String {
        SettingsText(
            snapshot: snapshot, outline: outline, showsDefaults: true,
            heading: """
                \(prefix.map { "The settings below \($0)" } ?? "The settings") that were committed, generation \
                \(snapshot.reference.generation).
                What you change is committed when you leave the editor, what you delete is unset.
                An unchanged or an empty text changes nothing. Defaults of unset settings are comments.
                """
        ).json5
    }

    // MARK: Ends that keep the text

    private func kept(_ error: CommandError) -> CommandError {
        file.keep()
        var error = error
        error.remedy = [error.remedy, "nothing was changed; your text is kept in \(file.path)"].compactMap(\.self)
            .joined(separator: "; ")
        return error
    }

    private func failure(of end: String, shown: EditorText, original: EditorText) -> CommandError {
        let error = CommandError.local("the editor `\(editor)` \(end); nothing was changed")
        guard let text = try? file.read(), EditorText(text) != original else { return error }
        file.keep()
        return .local("the editor `\(editor)` \(end); nothing was changed", remedy: "your text is kept in \(file.path)")
    }

    private func givenUp(_ problems: [SettingsDocument.Problem]) -> CommandError {
        file.keep()
        try? file.write(EditorText((try? file.read()) ?? "").text)
        let name = TextFile(name: file.path)
        return CommandError(
            status: .invalid, layer: .validate, code: "Text",
            message: "the text is unchanged; nothing was changed",
            details: problems.map { name.line($0.position, $0.message) },
            remedy: "your text is kept in \(file.path); correct it, and `cleat apply` it")
    }
}
