import CleatAPI
import CleatIO
import CleatSettings

/// Makes changes over a session, follows those on trial, and guards those that end the connection.
final class ChangeSession {
    /// The connection to the board.
    let board: ReconnectingSession

    /// Creates a change session over a reconnecting session.
    init(_ board: ReconnectingSession) { self.board = board }

    /// The session, for calls that change nothing.
    var service: Session { board.session }

    /// Changes settings; a change on trial is followed, and one that ends the connection is guarded.
    func set(_ parameters: SettingsInterface.Set.Parameters) throws(CommandError) -> SettingsInterface.Set.Reply {
        try change(SettingsInterface.Set.self, parameters)
    }

    /// Makes a change, and follows it if it is on trial.
    ///
    /// If the reply is lost, the call is repeated with the change's id, so that the change is made only once. If the
    /// change moves the board to another address, the session continues there.
    ///
    /// - Throws: if the board cannot be reached, an error that describes the change's outcome and the next step.
    func change<Method: TrialMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        let reply = try made(method, parameters)
        guard let overtaken = reply.overtaken else { return reply }
        throw CommandError(status: .conflict, layer: .validate, code: "Conflict", message: overtaken)
    }

    private func made<Method: TrialMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        guard parameters.isTrial else { return try guarded(method, parameters) }
        var request = parameters
        let id = parameters.id ?? RandomID.make()
        request.id = id
        board.following.id = id
        if board.isRemote { try requestPlan(method, request) }
        return try put(method, onTrial: request)
    }

    /// Puts a change on trial by its id, and follows the board to its new address.
    func put<Method: TrialMethod>(
        _ method: Method.Type, onTrial parameters: Method.Parameters
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        let window = Duration.milliseconds(parameters.confirm ?? APILimits.probeWindow)
        let reply = try board.retrying(for: board.following.waits ? window + board.grace : board.grace) {
            session throws(CommandError) in
            try session.call(method, parameters)
        }
        board.following.store = reply.store
        guard reply.state == .pending else { return reply }
        board.following.deadline = .now + (reply.window.map(Self.time) ?? window)
        try board.moveToNewAddress()
        return reply
    }

    /// Makes a change whose plan is not known beforehand; if it is on trial and the reply is lost, the call is repeated
    /// with the change's id.
    func change<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, id: String?, isOnTrial: Bool, window: Int64?
    ) throws(CommandError) -> Method.Reply {
        guard let id, isOnTrial else { return try service.call(method, parameters) }
        board.following.id = id
        let window = Duration.milliseconds(window ?? APILimits.probeWindow)
        let reply = try board.retrying(for: board.following.waits ? window + board.grace : board.grace) {
            session throws(CommandError) in
            try session.call(method, parameters)
        }
        board.following.deadline = .now + window
        return reply
    }

    /// Ends the change on trial or extends its confirm window; if the reply is lost, the call is repeated, which gives
    /// the same reply.
    func conclude<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> Method.Reply {
        try board.retrying(for: board.grace) { session throws(CommandError) in try session.call(method, parameters) }
    }

    /// Waits until the change on trial has ended, through restarts of the service and changes of the board's address,
    /// until the confirm window and a grace period have passed.
    func end(of id: String) throws(CommandError) -> TransactionsInterface.End {
        var pauses: Retrying?
        while true {
            do {
                return try service.call(TransactionsInterface.Wait.self, .init(id: id))
            } catch {
                guard error.isLost else { throw error }
                let limit = (board.following.deadline ?? .now) + board.grace
                // A service that fails at each call is not asked without a pause.
                if let pause = pauses?.next() { Process.pause(milliseconds: pause) }
                if pauses == nil { pauses = Retrying(until: .now + .seconds(86_400 * 2), longest: .seconds(4)) }
                let pending = try board.reconnecting(after: error, until: limit) { session throws(CommandError) in
                    try session.call(TransactionsInterface.Pending.self, .init())
                }
                guard let trial = pending.trial, trial.id == id else { continue }
                if let remaining = trial.remaining { board.following.deadline = .now + Self.time(remaining) }
            }
        }
    }

    /// Reopens the connection after it was closed; tries until the confirm window and a grace period have passed.
    func reconnect() throws(CommandError) {
        try board.reconnecting(after: nil, until: (board.following.deadline ?? .now) + board.grace) { _ in }
    }

    /// Returns the typed id, else that of the change on trial; if that change moves the board to another address, the
    /// session continues there.
    ///
    /// - Parameters:
    ///   - typed: the id that was typed; nil if there is none.
    ///   - goesBack: true if the change is about to be reverted: then the board is best reached at its old address.
    /// - Returns: the id.
    /// - Throws: a ``CommandError`` if no id was typed and nothing is on trial, or the board cannot be reached.
    func trialID(_ typed: String?, goesBack: Bool = false) throws(CommandError) -> String {
        board.following.goesBack = goesBack
        if let typed, !board.isRemote { return typed }
        let pending = try service.call(TransactionsInterface.Pending.self, .init())
        guard let id = typed ?? pending.trial?.id else {
            var error = CommandError(.noTransaction(id: "", message: "no change is on trial"))
            error.remedy = "see `cleat log` for the result of the last one"
            throw error
        }
        board.following.id = id
        guard let trial = pending.trial, trial.id == id else { return id }
        board.following.store = trial.store
        board.following.reach = pending.reach
        board.following.deadline = trial.remaining.map { .now + Self.time($0) }
        if !goesBack { try board.moveToNewAddress() }
        return id
    }

    /// Asks for the plan of a change, to learn its effect on this connection while the connection still works.
    ///
    /// - Returns: the plan.
    @discardableResult
    func requestPlan<Method: TrialMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> ChangePlan? {
        var question = parameters
        question.plan = true
        let answer = try service.call(method, question)
        board.following.store = answer.store
        board.following.reach = answer.plan?.reach
        return answer.plan
    }

    /// Converts milliseconds from a reply, clamped to the longest confirm window, since the reply may be invalid.
    static func time(_ milliseconds: Int64) -> Duration {
        .milliseconds(min(max(milliseconds, 0), APILimits.window.upperBound))
    }
}
