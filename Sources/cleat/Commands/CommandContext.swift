/// What a command works with: where it prints, and the service that it speaks to.
struct CommandContext {
    let console: Console
    let destination: Destination

    /// Opens a conversation with the service.
    func session() throws(CommandError) -> Session {
        try Session(destination)
    }

    /// Opens a conversation that goes on through what a change on trial does to the service and to the way there.
    ///
    /// - Parameter waits: whether the command stays until the trial has ended.
    /// - Returns: the conversation.
    /// - Throws: why it cannot be opened.
    func followingSession(waits: Bool = false) throws(CommandError) -> Session {
        var way = destination
        // A board that has lost the address that the command came by would never be missed.
        if case .remote(let access) = destination { way = .remote(access.watched) }
        let session = try Session(way)
        session.following.console = console
        session.following.home = destination
        session.following.waits = waits
        return session
    }

    /// Opens a conversation for a change that can be on trial, and is where it ends the connection and nobody insists.
    func session(
        for trial: TrialOptions?, guardedBy guarding: GuardOptions? = nil
    ) throws(CommandError) -> Session {
        guard let trial else { return try session() }
        let session = try followingSession(waits: trial.wait)
        session.following.isGuarded = guarding.map { !$0.mayCutOff } ?? false
        return session
    }
}
