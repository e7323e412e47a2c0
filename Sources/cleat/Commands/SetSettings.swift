import CleatAPI
import CleatJSON
import CleatSettings

/// Changes settings in one transaction and prints the changes; implements `cleat set` and `cleat unset`.
struct SetSettings: ServiceRequest {
    /// The settings to set, as typed.
    var assignments: [Assignment] = []
    /// The paths to unset.
    var removals: [String] = []
    var expect: String?
    var id: String?
    var comment: String?
    /// True if the changes last only until the next boot.
    var volatile = false
    /// True if the changes are only checked.
    var check = false
    /// The confirm window in milliseconds; nil if there is no trial, or ``until`` alone starts one.
    var confirm: Int64?
    /// True if the changes are only planned.
    var plan = false
    /// True if the changes are made and reverted at once.
    var rehearse = false
    /// The probes that confirm the change by themselves.
    var until: [String]?
    /// The options for waiting for the trial's end; nil if the caller handles the trial itself.
    var trial: TrialOptions?
    /// The option that allows the change to end the connection; nil if the change is not guarded.
    var guarding: GuardOptions?

    /// Sends the changes and prints the result.
    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession(for: trial, guardedBy: guarding)
        let reply = try reply(session)
        try context.console.show(CommitView(reply: reply))
        try trial?.follow(reply, session, context.console)
    }

    /// Sends the changes.
    ///
    /// The type of a value is inferred from its text. If the schema refuses that type, the service is asked for the
    /// setting's types, and the text is parsed as one of those (`hostname=42` becomes the string).
    func reply(_ session: ChangeSession) throws(CommandError) -> SettingsInterface.Set.Reply {
        let reference = try Expectation.reference(expect, session.service)
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
        _ changes: [RequestedChange], _ reference: GenerationRef?, _ session: ChangeSession
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        try session.set(
            .init(
                changes: changes, id: id, expect: reference, comment: comment, volatile: volatile ? true : nil,
                check: check ? true : nil, confirm: confirm, plan: plan ? true : nil,
                rehearse: rehearse ? true : nil, until: until))
    }

    /// Parses the texts again whose values were of the wrong type; nil if that changes nothing.
    private func reread(
        _ changes: [RequestedChange], after error: CommandError, _ session: ChangeSession
    ) throws(CommandError) -> [RequestedChange]? {
        guard let known = APIError(name: error.code, parameters: error.parameters),
            case .invalidValue(let problems) = known
        else { return nil }
        var changes = changes
        var isChanged = false
        for problem in problems where problem.code == SettingProblem.Code.type.description {
            for (index, assignment) in assignments.enumerated() where assignment.path == problem.path {
                let reply = try session.service.call(SettingsInterface.Describe.self, .init(prefix: assignment.path))
                guard let types = reply.descriptions.first?.types, reply.descriptions.count == 1 else { continue }
                // The service omits the value of a secret in its reply.
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

extension SetSettings {
    /// Takes the words of `cleat set` and `cleat unset` for a change that is not on trial.
    ///
    /// Left to the parser's commands are changes of network settings, which may end the connection and have options for
    /// that, a change of another board, which is explained if it is lost on the way, and one with an id, which may have
    /// been on trial before.
    init(_ words: inout CommandWords, unsets: Bool) {
        let write = words.takeWrite()
        // Assigned once: to replace the default of a list costs more than all the rest.
        self.init(
            assignments: unsets ? [] : words.assignments(), removals: unsets ? words.operands() : [],
            expect: write.expect, comment: write.comment, volatile: words.flag("--volatile"),
            check: words.flag("--check"))
        if removals.isEmpty, assignments.isEmpty { words.leave() }
        let inSession = Process.mayBeInSession
        if removals.contains(where: { $0.mayEndConnection(inSession: inSession) })
            || assignments.contains(where: { $0.path.mayEndConnection(inSession: inSession) })
        {
            words.leave()
        }
        if words.board.host != nil { words.leave() }
    }
}

extension CommandWords {
    /// Takes the options of every command that changes settings, but for the id.
    mutating func takeWrite() -> (expect: String?, comment: String?) {
        (value("--expect"), value("--comment", "-c"))
    }
}
