import CleatAPI
import CleatSettings

extension Session {
    /// How long a change that ends the connection is on trial, in milliseconds.
    private static let guardWindow: Int64 = 120_000

    /// Makes a change that nobody has put on trial.
    ///
    /// One of which the plan says that it ends the connection of this command is on trial for two minutes. From another
    /// computer it is kept by a new connection, to the new address or the old one; in a session on the board somebody has to
    /// keep it from a new session. Where no answer comes, nothing is repeated: the error says how to ask.
    ///
    /// - Throws: what the board refuses; that the change was undone, or that it is not known what became of it.
    func guarded<Method: TrialMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        guard parameters.isMade else { return try call(method, parameters) }
        var request = parameters
        let id = parameters.id ?? Self.makeID()
        following.id = id
        if following.isGuarded, parameters.mayTouchNetwork,
            let plan = try lookAhead(method, request), plan.connection == .cut
        {
            request.id = id
            return try putOnGuardedTrial(method, request, plan)
        }
        guard isRemote else { return try call(method, request) }
        request.id = id
        do {
            return try call(method, request)
        } catch {
            // Where ssh did not get there, nothing was sent.
            guard error.code == CommandError.lostConnection else { throw error }
            throw unanswered(error, id)
        }
    }

    private func putOnGuardedTrial<Method: TrialMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, _ plan: ChangePlan
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        guard !parameters.isVolatile else {
            throw CommandError(
                status: .invalid, layer: .confirm, code: "CutsOff",
                message: "the change ends your connection: \(plan.reason); with --volatile it cannot be on trial first",
                remedy: "leave out --volatile, or make it all the same with --yes-cut-me-off")
        }
        var request = parameters
        request.confirm = Self.guardWindow
        let window = DurationText.text(milliseconds: Self.guardWindow)
        note("the change ends your connection: \(plan.reason); so it is on trial for \(window)")
        guard isRemote else {
            let reply = try put(method, onTrial: request)
            if reply.state == .pending { note("keep it from a new session: cleat confirm \(reply.id)") }
            return reply
        }
        // The board may answer late, or only where it was before, once the change is undone.
        following.waits = true
        var reply = try put(method, onTrial: request)
        guard reply.state == .pending else { return reply }
        if !hasMoved { try comeBack() }
        guard try call(TransactionsInterface.Pending.self, .init()).trial?.id == reply.id else {
            guard try self.end(of: reply.id).state == .confirmed else {
                throw undone("the board did not answer a new connection in time", reply.id)
            }
            reply.state = .confirmed
            return reply
        }
        // While it is on trial the board has both its addresses, and then only the new one.
        if following.isMoving, !hasMoved {
            _ = try conclude(TransactionsInterface.Abort.self, .init(id: reply.id))
            throw undone("the board does not answer at its new address", reply.id)
        }
        let end = try conclude(TransactionsInterface.Confirm.self, .init(id: reply.id))
        note("the change was kept by a new connection")
        rememberAddress()
        reply.state = .confirmed
        reply.generation = end.generation
        reply.window = nil
        return reply
    }

    /// Whether the board is spoken to at another address than the one that was typed.
    private var hasMoved: Bool { if case .remote(let access) = destination { access.address != nil } else { false } }

    private func undone(_ reason: String, _ id: String) -> CommandError {
        CommandError(
            status: .reverted, layer: .confirm, code: "Reverted", message: "the change was undone: \(reason)",
            remedy:
                "see `\(following.command("show \(id)"))`; to make it all the same, say --yes-cut-me-off")
    }

    private func unanswered(_ error: CommandError, _ id: String) -> CommandError {
        CommandError(
            status: error.status, layer: error.layer, code: error.code,
            message: "the change was sent, and not answered: \(error.message)", details: error.details,
            remedy: "ask with: \(following.command("show \(id)"))")
    }
}
