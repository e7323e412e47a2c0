import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

extension SettingsWriter {
    /// Makes changes with one flush, each as a generation of its own; the turn of each of them has ended when this
    /// returns.
    ///
    /// Those that cannot be made together with the others, or are to be refused, are to be made alone; so are all of
    /// them if the store does not take them together, so that each has the error of its own.
    func set(together members: [GroupCommit.Member]) async {
        var (after, paths): (LayeredSettings, Set<SettingPath>) = (settings, [])
        var group: [(member: GroupCommit.Member, proposal: SettingsProposal, signature: Signature)] = []
        for member in members {
            guard let proposal = proposal(of: member, on: after, besides: paths) else {
                member.end(.alone)
                continue
            }
            paths.formUnion(proposal.differences.lazy.map(\.path))
            after = proposal.settings
            group.append((member, proposal, member.order.signature))
        }
        guard group.count > 1,
            let first = try? await store.commit(together: group.map { request($0.proposal.differences, $0.signature) })
        else {
            for one in group { one.member.end(.alone) }
            return
        }
        live.storeFailure = nil
        for (index, one) in group.enumerated() {
            live.state.reference = GenerationRef(store: first.store, generation: first.generation + Int64(index))
            one.member.end(.made(await finish(one.proposal, one.signature)))
            // Watchers see the settings of each generation.
            await loop.yield()
        }
    }

    /// Proposes a change that nothing but the store follows.
    ///
    /// - Parameters:
    ///   - member: The change.
    ///   - settings: The settings with the changes of the group before it.
    ///   - paths: The paths of those changes.
    /// - Returns: The proposal; nil if the change is to be made alone.
    private func proposal(
        of member: GroupCommit.Member, on settings: LayeredSettings, besides paths: Set<SettingPath>
    ) -> SettingsProposal? {
        let (plan, order) = (member.plan, member.order)
        guard (try? requireNoTrial()) != nil, (try? requireRight(toEdit: plan.edits, of: order.author)) != nil,
            !live.state.volatile.transactions.contains(where: { $0.id == order.id }),
            let (changes, problems) = try? plan.changes(on: settings)
        else { return nil }
        let proposal = settings.propose(
            changes, besides: problems, rewritesSecrets: !order.author.isPrivileged)
        guard proposal.problems.isEmpty, !proposal.differences.isEmpty, proposal.volatileDifferences.isEmpty,
            (try? requireRight(to: proposal, of: order.author)) != nil,
            proposal.differences.allSatisfy({ isPlain($0.path) && !paths.contains($0.path) })
        else { return nil }
        return proposal
    }

    /// Returns true if no adapter follows what a change names, or would have to.
    func isPlain(_ plan: SettingsPlan) -> Bool {
        plan.changes.changes.allSatisfy { isPlain($0.path) } && plan.edits.allSatisfy { isPlain($0.path) }
    }

    /// Returns true if no adapter follows a setting, or would have to.
    private func isPlain(_ path: SettingPath) -> Bool {
        !applier.follows(path) && applier.adapters.reasonNotToFollow(path) == nil
    }
}
