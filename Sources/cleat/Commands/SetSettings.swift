import CleatAPI
import CleatJSON
import CleatSettings

/// Changes settings in one transaction and prints what changed; the work of `cleat set` and `cleat unset`.
struct SetSettings {
    /// What is set, as it was typed.
    var assignments: [Assignment] = []
    /// What is unset.
    var removals: [String] = []
    var expect: String?
    var id: String?
    var comment: String?
    /// Whether the changes last until the next boot only.
    var volatile = false
    /// Whether the changes are only checked.
    var check = false
    /// How long the change is on trial, in milliseconds; nil where it is no trial.
    var confirm: Int64?
    /// Whether the changes are only planned.
    var plan = false
    /// Whether the changes are made and undone at once.
    var rehearse = false
    /// What confirms it by itself.
    var until: [String]?
    /// How its end is waited for; nil where it is not.
    var trial: TrialOptions?
    /// Whether it may end the connection; nil where it is not guarded.
    var guarding: GuardOptions?

    /// Sends the changes, and prints what came of them.
    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session(for: trial, guardedBy: guarding)
        let reply = try reply(session)
        try context.console.show(CommitView(reply: reply))
        try trial?.follow(reply, session, context.console)
    }

    /// Sends the changes.
    ///
    /// A value is read as it looks; only where the schema refuses its type, the service is asked which types there are,
    /// and the text is read as one of those (`hostname=42` becomes the string).
    func reply(_ session: Session) throws(CommandError) -> SettingsInterface.Set.Reply {
        let reference = try Expectation.reference(expect, session)
        var changes = removals.map { RequestedChange(path: $0) }
        for assignment in assignments {
            changes.append(RequestedChange(path: assignment.path, value: try Self.value(of: assignment, types: nil)))
        }
        do {
            return try send(changes, reference, session)
        } catch {
            guard let typed = try reread(changes, after: error, session) else { throw error }
            return try send(typed, reference, session)
        }
    }

    private func send(
        _ changes: [RequestedChange], _ reference: GenerationRef?, _ session: Session
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        try session.set(
            .init(
                changes: changes, id: id, expect: reference, comment: comment, volatile: volatile ? true : nil,
                check: check ? true : nil, confirm: confirm, plan: plan ? true : nil,
                rehearse: rehearse ? true : nil, until: until))
    }

    /// Reads the texts again whose values were of the wrong type; nil where that would change nothing.
    private func reread(
        _ changes: [RequestedChange], after error: CommandError, _ session: Session
    ) throws(CommandError) -> [RequestedChange]? {
        guard let known = APIError(name: error.code, parameters: error.parameters),
            case .invalidValue(let problems) = known
        else { return nil }
        var changes = changes
        var isChanged = false
        for problem in problems where problem.code == SettingProblem.Code.type.description {
            for (index, assignment) in assignments.enumerated() where assignment.path == problem.path {
                let reply = try session.call(SettingsInterface.Describe.self, .init(prefix: assignment.path))
                guard let types = reply.descriptions.first?.types, reply.descriptions.count == 1 else { continue }
                // Of a secret the service repeats nothing.
                let value = try Self.value(of: assignment, types: types, isSecret: problem.value == nil)
                let place = removals.count + index
                if changes[place].value != value {
                    changes[place].value = value
                    isChanged = true
                }
            }
        }
        return isChanged ? changes : nil
    }

    private static func value(
        of assignment: Assignment, types: [String]?, isSecret: Bool = false
    ) throws(CommandError) -> JSONValue {
        do {
            return try SettingValueText.parse(assignment.text, types: types, isSecret: isSecret)
        } catch {
            throw CommandError(
                status: .invalid, layer: .validate, code: "Value", message: "\(assignment.path): \(error)",
                remedy: "see `cleat describe \(assignment.path)` for what is allowed")
        }
    }
}
