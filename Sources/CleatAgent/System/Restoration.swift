import CleatAPI
import CleatAdapters

/// The outcome of restoring what was captured, and of running the programs that reload it.
///
/// The two are not the same: if a resource is not restored, the system is not as it was, and the restore is retried
/// until it is. If only a program fails, all that it would read is as it was, so that the change is reverted; the program
/// may fail for any input, and must not keep the board from being changed.
struct Restoration: Sendable {
    /// The results, failures included.
    var results: [AdapterResult] = []
    /// The resources that were not restored.
    var failures: [AdapterResult] = []
    /// The actions that were run, failed ones included.
    var actions: [AdapterAction] = []
    /// The failed actions, although all resources are restored.
    var failedActions: [FailedAction] = []
}

/// A failed action or a lost resource of a revert, or of a start of the service, that does not block anything else.
struct FailedAction: Sendable {
    /// The actions of the retry; empty if a retry is of no use.
    ///
    /// They are all actions of the adapter for the same subject, since an action that takes an interface down must not
    /// be run without the one that brings it up.
    let actions: [AdapterAction]
    /// The action that failed; nil if it was none.
    let failed: AdapterAction?
    /// The failure.
    let result: AdapterResult
}

extension [FailedAction] {
    /// Describes the state of the system once a change is reverted.
    ///
    /// - Parameter applied: The results of the change before it was reverted.
    /// - Returns: A sentence without its full stop.
    func outcome(of applied: [AdapterResult]) -> String {
        if isEmpty {
            return applied.contains { $0.state == .applied } ? "Everything was restored" : "Nothing was changed"
        }
        return "Everything else was restored. "
            + map(\.result.message.withoutFullStop).joined(separator: "; ")
    }
}

extension String {
    /// The sentence without its full stop, so that another clause can follow.
    var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
