import CleatAPI
import CleatSettings

/// Group commit: plain changes whose callers wait for the write lock at the same time are stored with one flush, and
/// each is a generation of its own with its own answer.
///
/// The first change that waits leads: when it gets the lock, it makes all that have come meanwhile. The others do not
/// wait for the lock, so that they have their answers as soon as the flush is done. A change that cannot be made with
/// others takes its own turn.
///
/// It never leaves the engine's executor.
final class GroupCommit {
    /// The most changes of one group, and the most paths of one of its changes.
    private static let limit = 64

    /// A change that waits for its group.
    final class Member {
        let plan: SettingsPlan
        let order: ChangeOrder
        private var outcome: Outcome?
        private var continuation: CheckedContinuation<Outcome, Never>?

        init(_ plan: SettingsPlan, _ order: ChangeOrder) { (self.plan, self.order) = (plan, order) }

        /// The end of a turn.
        enum Outcome: Sendable {
            /// It was made, and this is its reply.
            case made(SettingsInterface.Set.Reply)
            /// It was not made, and is to be made alone.
            case alone
        }

        /// Ends the turn of the change.
        func end(_ outcome: Outcome) {
            self.outcome = outcome
            continuation?.resume(returning: outcome)
            continuation = nil
        }

        /// Waits until the turn has ended.
        func wait(isolation: isolated (any Actor)? = #isolation) async -> Outcome {
            if let outcome { return outcome }
            return await withCheckedContinuation { continuation = $0 }
        }
    }

    /// The changes that wait for the turn of the first one.
    private var waiting: [Member] = []

    /// Adds a change to the group that waits.
    ///
    /// - Returns: The change as a member; nil if it is not plain, or the group is full.
    func join(_ plan: SettingsPlan, _ order: ChangeOrder) -> (member: Member, leads: Bool)? {
        guard waiting.count < Self.limit, order.intent == .make, order.terms.window == nil, order.expect == nil,
            plan.layer == .committed, plan.changes.changes.count + plan.edits.count <= Self.limit
        else { return nil }
        let member = Member(plan, order)
        waiting.append(member)
        return (member, waiting.count == 1)
    }

    /// Takes the changes that wait, in the order in which they came; the next one to join leads a new group.
    func take() -> [Member] {
        defer { waiting = [] }
        return waiting
    }
}
