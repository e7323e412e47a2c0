import CleatAPI
import CleatSettings

extension Session {
    /// Changes settings; a change on trial is followed, and one that ends the connection is guarded.
    func set(_ parameters: SettingsInterface.Set.Parameters) throws(CommandError) -> SettingsInterface.Set.Reply {
        try change(SettingsInterface.Set.self, parameters)
    }

    /// Makes a change; one on trial is followed: where its answer is lost, the board is asked again by the change's id,
    /// which makes it once only, and where it moves the board to another address, that is where the command goes on.
    ///
    /// - Throws: with what will happen, and what to do then, where the board cannot be reached.
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
        let id = parameters.id ?? Self.makeID()
        request.id = id
        following.id = id
        if isRemote { try lookAhead(method, request) }
        return try put(method, onTrial: request)
    }

    /// Puts a change on trial, by its id, and goes on where it has moved the board.
    func put<Method: TrialMethod>(
        _ method: Method.Type, onTrial parameters: Method.Parameters
    ) throws(CommandError) -> SettingsInterface.Set.Reply {
        let window = Duration.milliseconds(parameters.confirm ?? APILimits.probeWindow)
        let reply = try asking(for: following.waits ? window + grace : grace) { session throws(CommandError) in
            try session.call(method, parameters)
        }
        following.store = reply.store
        guard reply.state == .pending else { return reply }
        following.deadline = .now + (reply.window.map(Self.time) ?? window)
        try settle()
        return reply
    }

    /// Makes a change of which it is not known where it moves the board; where it is on trial, and its answer is lost, the
    /// board is asked again by its id.
    func change<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters, id: String?, _ trial: TrialOptions
    ) throws(CommandError) -> Method.Reply {
        guard let id, trial.isAsked else { return try call(method, parameters) }
        following.id = id
        let window = Duration.milliseconds(trial.window?.milliseconds ?? APILimits.probeWindow)
        let reply = try asking(for: following.waits ? window + grace : grace) { session throws(CommandError) in
            try session.call(method, parameters)
        }
        following.deadline = .now + window
        return reply
    }

    /// Ends the change on trial, or gives it another time; where the answer is lost, the same is asked again: it is the
    /// same answer.
    func conclude<Method: APIMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> Method.Reply {
        try asking(for: grace) { session throws(CommandError) in try session.call(method, parameters) }
    }

    /// Waits until the change on trial has ended, through restarts of the service and changes of the board's address, until
    /// its time is over and some more.
    func end(of id: String) throws(CommandError) -> TransactionsInterface.End {
        var pauses: Retrying?
        while true {
            do {
                return try call(TransactionsInterface.Wait.self, .init(id: id))
            } catch {
                guard error.isLost else { throw error }
                let limit = (following.deadline ?? .now) + grace
                // A service that fails at each call is not asked without a pause.
                if let pause = pauses?.next() { Process.pause(milliseconds: pause) }
                if pauses == nil { pauses = Retrying(until: .now + .seconds(86_400 * 2), longest: .seconds(4)) }
                let pending = try again(after: error, until: limit) { session throws(CommandError) in
                    try session.call(TransactionsInterface.Pending.self, .init())
                }
                guard let trial = pending.trial, trial.id == id else { continue }
                if let remaining = trial.remaining { following.deadline = .now + Self.time(remaining) }
            }
        }
    }

    /// Opens the connection anew after it was left, for as long as the trial may go on.
    func comeBack() throws(CommandError) {
        try again(after: nil, until: (following.deadline ?? .now) + grace) { _ in }
    }

    /// The id that was typed, else that of the change on trial; where that moves the board to another address, the command
    /// goes there.
    ///
    /// - Parameters:
    ///   - typed: the id that was typed.
    ///   - goesBack: whether the change is to be undone: then the board is best reached where it was.
    /// - Returns: the id.
    /// - Throws: where nothing was typed and nothing is on trial, or the board cannot be reached.
    func trialID(_ typed: String?, goesBack: Bool = false) throws(CommandError) -> String {
        following.goesBack = goesBack
        if let typed, !isRemote { return typed }
        let pending = try call(TransactionsInterface.Pending.self, .init())
        guard let id = typed ?? pending.trial?.id else {
            var error = CommandError(.noTransaction(id: "", message: "no change is on trial"))
            error.remedy = "see `cleat log` for what has become of the last one"
            throw error
        }
        following.id = id
        guard let trial = pending.trial, trial.id == id else { return id }
        following.store = trial.store
        following.reach = pending.reach
        following.deadline = trial.remaining.map { .now + Self.time($0) }
        if !goesBack { try settle() }
        return id
    }

    /// Asks what a change would do to the way that the command has come, while that is sure to be there.
    ///
    /// - Returns: the plan.
    @discardableResult
    func lookAhead<Method: TrialMethod>(
        _ method: Method.Type, _ parameters: Method.Parameters
    ) throws(CommandError) -> ChangePlan? {
        var question = parameters
        question.plan = true
        let answer = try call(method, question)
        following.store = answer.store
        following.reach = answer.plan?.reach
        return answer.plan
    }

    /// Makes an id for a change whose author has typed none: 128 random bits.
    static func makeID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// A time that a board says, in milliseconds, within what a trial may have: what answers may be broken.
    static func time(_ milliseconds: Int64) -> Duration {
        .milliseconds(min(max(milliseconds, 0), APILimits.window.upperBound))
    }
}

extension CommandError {
    /// Whether the connection was lost, or could not be made, and the same may succeed some time later.
    var isLost: Bool { status == .unavailable }
}
