import CleatAPI

/// Hears of the end of a change on trial while something else is waited for.
final class TrialWatch {
    /// What is known of the change.
    enum News {
        /// It is on trial, as far as is known.
        case nothing
        /// It has ended.
        case ended(TransactionsInterface.End)
        /// It could not be undone, or the service is not found any more.
        case failed(CommandError)
    }

    private let session: Session
    private let id: String
    private var isAsked = false
    private var retrying: Retrying?
    /// In how many milliseconds ``look()`` is due; nil where the descriptor says that.
    private(set) var pause: Int32?

    /// Takes a conversation, which is this one's until it is left.
    init(_ session: Session, id: String) {
        self.session = session
        self.id = id
        pause = 0
    }

    /// What becomes readable where ``look()`` is due; nil where a pause says that.
    var descriptor: Int32? { isAsked ? session.descriptor : nil }

    /// Takes what has come, or asks; where the connection was lost, once more after a pause.
    func look() -> News {
        do throws(CommandError) {
            if isAsked {
                isAsked = false
                return .ended(try session.lateAnswer(to: TransactionsInterface.Wait.self))
            }
            if retrying != nil { try session.reopen() }
            try session.callAhead(of: TransactionsInterface.Wait.self, .init(id: id))
            (isAsked, pause, retrying) = (true, nil, nil)
            return .nothing
        } catch {
            return error.isLost ? lost(error) : .failed(error)
        }
    }

    private func lost(_ error: CommandError) -> News {
        let deadline = session.following.deadline ?? .now
        if retrying == nil {
            retrying = Retrying(
                until: deadline + session.grace, longest: session.isRemote ? .seconds(4) : .milliseconds(500))
            // A far board may be away for as long as its change is on trial, and whoever asks may be asked for a password.
            if session.isRemote {
                pause = Int32(clamping: max(1, Int64(ContinuousClock.now.duration(to: deadline) / .milliseconds(1))))
                return .nothing
            }
        }
        pause = retrying?.next()
        if pause != nil { return .nothing }
        var error = error
        error.remedy = session.following.outlook
        return .failed(error)
    }
}
