/// The state machine of a child process: its phase, and the action that each event requires.
struct ChildLife: Sendable {
    enum Action: Sendable, Equatable {
        case none
        /// Send SIGTERM to the group, then wait for the grace.
        case terminate
        /// Send SIGKILL to the group, then wait for the process to exit.
        case kill
        /// Stop waiting for it.
        case giveUp

        var signal: Signal? {
            switch self {
            case .terminate: .terminate
            case .kill: .kill
            case .none, .giveUp: nil
            }
        }
    }

    private enum Phase { case running, terminating, killed, givenUp, ended }

    private var phase = Phase.running
    private(set) var timedOut = false
    private(set) var wasCancelled = false

    var hasEnded: Bool { phase == .ended }
    /// True if the process runs, and nothing has told it to end.
    var isUndisturbed: Bool { phase == .running }

    mutating func timeOver() -> Action {
        guard phase == .running else { return .none }
        phase = .terminating
        timedOut = true
        return .terminate
    }

    mutating func graceOver() -> Action {
        guard phase == .terminating else { return .none }
        phase = .killed
        return .kill
    }

    mutating func cancel() -> Action {
        guard phase == .running || phase == .terminating else { return .none }
        phase = .killed
        wasCancelled = true
        return .kill
    }

    mutating func patienceOver() -> Action {
        guard phase == .killed else { return .none }
        phase = .givenUp
        return .giveUp
    }

    mutating func end() { phase = .ended }
}
