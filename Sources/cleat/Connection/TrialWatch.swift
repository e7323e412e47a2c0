import CleatAPI

/// Watches for the end of a change on trial while the caller waits for something else.
final class TrialWatch {
    /// The state of the change.
    enum News {
        /// It is still on trial, as far as is known.
        case nothing
        /// It has ended.
        case ended(TransactionsInterface.End)
        /// It could not be reverted, or the service can no longer be reached.
        case failed(CommandError)
    }

    private let board: ReconnectingSession
    private let id: String
    private var isAsked = false
    private var retrying: Retrying?
    /// The time in milliseconds until ``look()`` is due; nil if ``descriptor`` becoming readable says so.
    private(set) var pause: Int32?

    /// Uses a session until the watch ends.
    init(_ board: ReconnectingSession, id: String) {
        self.board = board
        self.id = id
        pause = 0
    }

    /// The descriptor that becomes readable when ``look()`` is due; nil if ``pause`` says so.
    var descriptor: Int32? { isAsked ? board.session.descriptor : nil }

    /// Reads the reply if the call was sent, else sends it; after a lost connection, first reconnects.
    func look() -> News {
        do throws(CommandError) {
            if isAsked {
                isAsked = false
                return .ended(try board.session.answer(to: TransactionsInterface.Wait.self))
            }
            if retrying != nil { try board.reopen() }
            try board.session.callAhead(TransactionsInterface.Wait.self, .init(id: id))
            (isAsked, pause, retrying) = (true, nil, nil)
            return .nothing
        } catch {
            return error.isLost ? lost(error) : .failed(error)
        }
    }

    private func lost(_ error: CommandError) -> News {
        let deadline = board.following.deadline ?? .now
        if retrying == nil {
            retrying = Retrying(
                until: deadline + board.grace, longest: board.isRemote ? .seconds(4) : .milliseconds(500))
            // A remote board may be away for the whole trial, and ssh might ask for a password at each attempt.
            if board.isRemote {
                pause = Int32(clamping: max(1, Int64(ContinuousClock.now.duration(to: deadline) / .milliseconds(1))))
                return .nothing
            }
        }
        pause = retrying?.next()
        if pause != nil { return .nothing }
        var error = error
        error.remedy = board.following.outlook
        return .failed(error)
    }
}
