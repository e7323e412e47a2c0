import CleatAPI
import CleatHooks
import CleatIO
import CleatSettings

/// The data of a request to change settings, apart from the changes: validated, before anything else happens.
struct ChangeOrder: Sendable {
    /// The id that the caller has chosen; nil if none.
    let id: String?
    /// The author's comment.
    var comment: String?
    /// The hash of the request.
    let hash: String
    /// The generation that the caller expects; nil for any.
    let expect: GenerationRef?
    /// The purpose of the request.
    let intent: ChangeIntent
    /// The confirm window and the probes.
    let terms: TrialTerms
    /// The caller.
    let author: Author
    /// The hooks that caused the change; nil if none did.
    let cause: String?
    /// The route by which the caller reaches the board, for a plan.
    let caller: CallerRoute
    private let newID = RandomID.make()

    /// Validates a request to set values.
    ///
    /// - Throws: `APIError`.
    init(
        _ request: SettingsInterface.Set.Parameters, _ plan: SettingsPlan, author: Author, cause: String?,
        caller: CallerRoute, probes: ProbeSet
    ) throws(APIError) {
        terms = try TrialTerms(confirm: request.confirm, until: request.until, layer: plan.layer, known: probes)
        intent = try ChangeIntent(
            check: request.check, plan: request.plan, rehearse: request.rehearse, window: terms.window)
        // An id belongs to its user: otherwise it would reveal that others have set the same values.
        hash = SettingsPlan.hash(intent.hash(plan.hash), by: author)
        (id, comment, expect) = (request.id, request.comment, request.expect)
        (self.author, self.cause, self.caller) = (author, cause, caller)
    }

    /// Validates a request to reset values.
    ///
    /// - Throws: `APIError`.
    init(
        _ request: SettingsInterface.Reset.Parameters, _ prefix: SettingPath?, author: Author, cause: String?,
        caller: CallerRoute, probes: ProbeSet
    ) throws(APIError) {
        try SettingsPlan.checkWords(id: request.id, comment: request.comment)
        terms = try TrialTerms(confirm: request.confirm, until: request.until, known: probes)
        intent = try ChangeIntent(check: nil, plan: request.plan, rehearse: request.rehearse, window: terms.window)
        hash = intent.hash(SettingsPlan.resetHash(prefix))
        (id, comment, expect) = (request.id, request.comment, request.expect)
        (self.author, self.cause, self.caller) = (author, cause, caller)
    }

    /// Validates a request to roll back to an earlier generation.
    ///
    /// - Throws: `APIError`.
    init(
        _ request: SettingsInterface.Rollback.Parameters, author: Author, cause: String?, caller: CallerRoute,
        probes: ProbeSet
    ) throws(APIError) {
        try SettingsPlan.checkWords(id: request.id, comment: request.comment)
        terms = try TrialTerms(confirm: request.confirm, until: request.until, known: probes)
        intent = try ChangeIntent(
            check: request.check, plan: request.plan, rehearse: request.rehearse, window: terms.window)
        hash = intent.hash(SettingsPlan.rollbackHash(request.to))
        (id, comment, expect) = (request.id, request.comment, request.expect)
        (self.author, self.cause, self.caller) = (author, cause, caller)
    }

    /// The data that the change is recorded with.
    var signature: Signature {
        Signature(
            id: id ?? newID, hash: hash, author: author, comment: comment, cause: cause, probes: terms.probes)
    }
}
