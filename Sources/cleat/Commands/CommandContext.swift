/// The context of a command: its output, and the service that it connects to.
struct CommandContext {
    let console: Console
    let destination: Destination

    /// Opens a session with the service.
    func session() throws(CommandError) -> Session {
        try Session(destination)
    }

    /// Opens a session that survives restarts of the service and changes of the board's address during a trial.
    ///
    /// - Parameter waits: true if the command waits until the trial has ended.
    /// - Returns: the session.
    /// - Throws: a ``CommandError`` with the reason why it cannot be opened.
    func followingSession(waits: Bool = false) throws(CommandError) -> Session {
        var way = destination
        // ssh should notice within 15 seconds, not 45, that the board has lost the address of this connection.
        if case .remote(let access) = destination { way = .remote(access.watched) }
        let session = try Session(way)
        session.following.console = console
        session.following.home = destination
        session.following.waits = waits
        return session
    }

    /// Opens a session for a change that can be on trial; with `guarding`, a change that would end the connection is
    /// put on trial first, unless `--yes-cut-me-off` is given.
    func session(
        for trial: TrialOptions?, guardedBy guarding: GuardOptions? = nil
    ) throws(CommandError) -> Session {
        guard let trial else { return try session() }
        let session = try followingSession(waits: trial.wait)
        session.following.isGuarded = guarding.map { !$0.mayCutOff } ?? false
        return session
    }
}
