package import CleatAPI
package import CleatIO

/// A message about a hook for the service's log; the description is one sentence.
package enum HookNotice: Sendable, Equatable, CustomStringConvertible {
    /// A run has ended, or could not be started.
    case ended(hook: String, run: HookRun, left: MarkedProcesses.Result = .init())
    /// An event did not run a hook that had led to it; reported at the 1st, 2nd, 4th, 8th, … time.
    case cut(hook: String, event: String, cause: String, count: Int64)
    /// An event waits for space in the queue, without its properties; reported at the 1st, 2nd, 4th, 8th, … time.
    case deferred(hook: String, event: String, count: Int64)
    /// An event was lost because the queue is full; reported at the 1st, 2nd, 4th, 8th, … time.
    case dropped(hook: String, event: String, count: Int64)
    /// A subject has used up its rate; reported at the 1st, 2nd, 4th, 8th, … time.
    case delayed(hook: String, event: String, count: Int64)
    /// A hook was paused, since its runs on a subject trigger it again.
    case looping(hook: String, subject: String)

    /// True if the message reports a problem.
    package var isProblem: Bool {
        switch self {
        case .ended(_, let run, _): run.isFailure
        case .cut, .dropped, .deferred, .delayed, .looping: true
        }
    }

    package var description: String {
        switch self {
        case .ended(let hook, let run, let left):
            let end =
                switch run.status {
                case .exited: run.code == 0 ? "has run" : "has failed with exit status \(run.code)"
                case .signalled: "was ended by signal \(run.code)"
                case .timedOut:
                    "has run into its timeout and was killed with its process group" + Self.text(of: left)
                case .refused: "was not started: \(run.output)"
                }
            return "hook \(hook) \(end), on \(run.event), after \(run.duration) ms"
        case .cut(let hook, let event, let cause, let count):
            return "hook \(hook) does not run on \(event), which it caused itself (\(cause)); \(count) so far"
        case .deferred(let hook, let event, let count):
            return
                "hook \(hook) runs on \(event) later, with the state of then, since its queue is full; \(count) so far"
        case .dropped(let hook, let event, let count):
            return "hook \(hook) has lost \(event), since its queue is full; \(count) so far"
        case .delayed(let hook, let event, let count):
            return "hook \(hook) runs more often than its rate allows; \(event) waits; \(count) so far"
        case .looping(let hook, let subject):
            return
                "hook \(hook) is paused, since its runs on \(subject) trigger it again through what its program changes in the "
                + "kernel; correct the program, then resume it with 'cleat hook resume \(hook)'"
        }
    }
}

extension HookNotice {
    private static func text(of left: MarkedProcesses.Result) -> String {
        func processes(_ count: Int) -> String { "\(count) \(count == 1 ? "process" : "processes")" }
        return (left.killed > 0 ? " and \(processes(left.killed)) outside the process group" : "")
            + (left.left > 0 ? "; \(processes(left.left)) outside the process group did not exit" : "")
    }
}

extension HookRun {
    /// True if the run did not exit with 0.
    package var isFailure: Bool { status != .exited || code != 0 }
}
