import CleatAPI
import CleatSettings

/// Group commit: plain changes whose callers wait for the write lock at the same time are stored with one flush, and
/// each is a generation of its own with its own answer.
///
/// The first change that waits leads: when it gets the lock, it makes all that have come meanwhile. The others do not
/// wait for the lock, so that they have their answers as soon as the flush is done. A group takes no more changes once
/// another writer waits behind it, so that all are made in the order in which they came.
///
/// It never leaves the engine's executor.
final class GroupCommit {
    /// The most changes of one group, and the most paths of one of its changes.
    private static let limit = 64

    /// A change that waits for its turn.
    final class Member {
        let plan: SettingsPlan
        let order: ChangeOrder
        /// The id of the request; nil if the caller chose none.
        var id: String? { order.id }
        private var outcome: Outcome?
        private var continuation: CheckedContinuation<Outcome, Never>?

        init(_ plan: SettingsPlan, _ order: ChangeOrder) { (self.plan, self.order) = (plan, order) }

        /// The reply to the caller, or the error.
        typealias Outcome = Result<SettingsInterface.Set.Reply, any Error>

        /// Ends the turn of the change.
        func end(_ outcome: Outcome) {
            self.outcome = outcome
            continuation?.resume(returning: outcome)
            continuation = nil
        }

        /// Waits until the turn has ended.
        func reply(isolation: isolated (any Actor)? = #isolation) async throws -> SettingsInterface.Set.Reply {
            if let outcome { return try outcome.get() }
            return try await withCheckedContinuation { continuation = $0 }.get()
        }
    }

    /// The changes that wait for the turn of the first one.
    final class Group {
        fileprivate(set) var members: [Member] = []
    }

    /// The group that takes more changes; nil if there is none.
    private var open: Group?

    /// Adds a change to the group that waits, or begins one.
    ///
    /// - Returns: The change as a member, and the group that it leads, if it does; nil if the change is not plain.
    func join(_ plan: SettingsPlan, _ order: ChangeOrder) -> (member: Member, led: Group?)? {
        guard order.intent == .make, order.terms.window == nil, order.expect == nil, plan.layer == .committed,
            plan.changes.changes.count + plan.edits.count <= Self.limit
        else { return nil }
        let member = Member(plan, order)
        if let open, open.members.count < Self.limit {
            open.members.append(member)
            return (member, nil)
        }
        let group = Group()
        group.members = [member]
        open = group
        return (member, group)
    }

    /// Has the next change begin a new group, if it would join this one; nil for any.
    func close(_ group: Group? = nil) {
        if group == nil || open === group { open = nil }
    }
}
