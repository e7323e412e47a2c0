import CleatAPI
import CleatJSON
import CleatSettings

/// Changes a board's settings to those of a text; implements `cleat apply`.
struct ApplySettings {
    let document: SettingsDocument
    /// The files that are included in the change.
    var documents = DocumentUploads()
    let source: TextFile
    let mode: SettingsComparison.Mode
    var expect: GenerationRef?
    var id: String?
    var comment: String?
    var volatile = false
    var check = false
    /// The confirm window in milliseconds; nil if there is no trial, or ``until`` alone starts one.
    var confirm: Int64?
    /// True if the changes are only planned.
    var plan = false
    /// True if the changes are made and reverted at once.
    var rehearse = false
    /// The probes that confirm the change by themselves.
    var until: [String]?

    /// The maximum number of attempts of a merge while other clients commit.
    private static let attempts = 8

    /// Compares the text with the board's settings, and sends the differences.
    func run(_ session: ChangeSession) throws(CommandError) -> ApplicationView {
        defer { documents.giveUp(session.service) }
        let outline = try SchemaOutline(from: session.service)
        for _ in 1..<Self.attempts where mode == .merge && expect == nil {
            do {
                return try attempt(session, outline)
            } catch {
                guard error.isConflict else { throw error }
            }
        }
        do {
            return try attempt(session, outline)
        } catch {
            guard error.isConflict else { throw error }
            var error = error
            error.remedy = "nothing was changed; see `cleat log`, and apply the file again if it is still right"
            throw error
        }
    }

    private func attempt(_ session: ChangeSession, _ outline: SchemaOutline) throws(CommandError) -> ApplicationView {
        let snapshot = try SettingsSnapshot(
            volatile ? .present(defaults: false) : .committed, under: nil, from: session.service)
        let comparison = SettingsComparison(document, with: snapshot, outline: outline, mode: mode)
        try comparison.check(source)
        guard !comparison.changes.isEmpty else {
            if let expect, expect != snapshot.reference {
                throw CommandError(
                    .conflict(
                        snapshot.reference,
                        message: "the settings are of generation \(snapshot.reference.generation), and not of "
                            + "\(expect.generation)"))
            }
            return ApplicationView(
                reply: .init(
                    id: id ?? "", store: snapshot.reference.store, generation: snapshot.reference.generation,
                    state: .unchanged, changes: []), kept: comparison.kept)
        }
        let uploads = try documents.send(for: comparison.changes, session.service)
        do {
            let reply = try session.set(
                .init(
                    changes: comparison.changes, id: id, expect: expect ?? snapshot.reference, comment: comment,
                    volatile: volatile ? true : nil, check: check ? true : nil, confirm: confirm,
                    plan: plan ? true : nil, rehearse: rehearse ? true : nil, until: until,
                    uploads: uploads.isEmpty ? nil : uploads))
            return ApplicationView(reply: reply, kept: comparison.kept)
        } catch {
            throw error.located(in: document, source)
        }
    }
}

extension SettingsComparison {
    /// Throws an error if there are more changes than one transaction accepts.
    func check(_ source: TextFile) throws(CommandError) {
        guard changes.count <= APILimits.changes else {
            throw CommandError(
                status: .invalid, layer: .validate, code: "TooManyChanges",
                message:
                    "\(source.name) changes \(changes.count) settings, and one transaction takes at most "
                    + "\(APILimits.changes)",
                remedy: "split it into several files, or take one part after another with --prefix")
        }
    }
}
