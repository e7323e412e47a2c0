import CleatAPI
import CleatIO
import CleatSettings

extension ChangeSession {
    /// The confirm window of a guarded change, in milliseconds.
    private static let guardWindow: Int64 = 120_000

    /// Makes a change that the caller has not put on trial.
    ///
    /// If the plan says that the change ends this connection, or may keep the caller from the next one, it is put on trial for two minutes. On a remote board, a
    /// new connection to the new or the old address confirms it; in a session on the board itself, the user has to
    /// confirm it from a new session. If no reply arrives, nothing is repeated: the error names the command that shows
    /// the outcome.
    ///
    /// - Throws: the board's refusal, or that the change was reverted or its outcome is unknown.
    func guarded<Method: TrialMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        guard parameters.isMade else { return try service.call(method, parameters) }
        var request = parameters
        let id = parameters.id ?? RandomID.make()
        board.following.id = id
        let inSession = board.isRemote || Process.mayBeInSession
        if board.following.isGuarded, parameters.mayEndConnection(inSession: inSession),
            let plan = try requestPlan(method, request),
            plan.connection == .cut || plan.isGuarded == true
        {
            request.id = id
            return try putOnGuardedTrial(method, request, plan)
        }
        guard board.isRemote else { return try service.call(method, request) }
        request.id = id
        do {
            return try service.call(method, request)
        } catch {
            // If ssh could not connect, nothing was sent.
            guard error.code == CommandError.lostConnection else { throw error }
            throw unanswered(error, id)
        }
    }

    private func putOnGuardedTrial<Method: TrialMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, _ plan: ChangePlan
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        let effect = "the change \(plan.connection == .cut ? "ends" : "may end") your connection: \(plan.reason)"
        guard !parameters.isVolatile else {
            throw CommandError(
                status: .invalid, layer: .confirm, code: "CutsOff",
                message: "\(effect); with --volatile it cannot be on trial first",
                remedy: "omit --volatile, or make it nevertheless with --yes-cut-me-off")
        }
        var request = parameters
        request.confirm = Self.guardWindow
        let window = DurationText.text(milliseconds: Self.guardWindow)
        board.note("\(effect); it is on trial for \(window)")
        guard board.isRemote else {
            let reply = try put(method, onTrial: request)
            if reply.state == .pending { board.note("confirm it from a new session: cleat confirm \(reply.id)") }
            return reply
        }
        // The board may answer late, or only at its old address after the change was reverted.
        board.following.waits = true
        var reply = try put(method, onTrial: request)
        guard reply.state == .pending else { return reply }
        if !hasMoved { try reconnect() }
        guard try service.call(TransactionsInterface.Pending.self, .init()).trial?.id == reply.id else {
            guard try self.end(of: reply.id).state == .confirmed else {
                throw reverted("the board did not answer a new connection in time", reply.id)
            }
            reply.state = .confirmed
            return reply
        }
        // During the trial the board has both addresses; afterwards only the new one.
        if board.following.isMoving, !hasMoved {
            _ = try conclude(TransactionsInterface.Abort.self, .init(id: reply.id))
            throw reverted("the board does not answer at its new address", reply.id)
        }
        let end = try conclude(TransactionsInterface.Confirm.self, .init(id: reply.id))
        board.note("the change was confirmed over a new connection")
        board.rememberAddress()
        reply.state = .confirmed
        reply.generation = end.generation
        reply.window = nil
        return reply
    }

    /// True if the session uses another address of the board than the typed one.
    private var hasMoved: Bool {
        if case .remote(let access) = service.destination { access.address != nil } else { false }
    }

    private func reverted(_ reason: String, _ id: String) -> CommandError {
        CommandError(
            status: .reverted, layer: .confirm, code: "Reverted", message: "the change was reverted: \(reason)",
            remedy:
                "see `\(board.following.command("show \(id)"))`; to make it nevertheless, use --yes-cut-me-off")
    }

    private func unanswered(_ error: CommandError, _ id: String) -> CommandError {
        CommandError(
            status: error.status, layer: error.layer, code: error.code,
            message: "the change was sent, but there was no reply: \(error.message)", details: error.details,
            remedy: "see: \(board.following.command("show \(id)"))")
    }
}
