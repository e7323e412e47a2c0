import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

extension SettingsWriter {
    /// The number of changes that are proposed before other tasks can run.
    private static let proposalsPerTurn = 8

    /// Makes changes, each as a generation of its own; the turn of each of them has ended when this returns.
    ///
    /// Those that can be made together share a flush. The others are made after them, one by one: those that are
    /// refused, have an id or a path of another one, and all of them if the store does not take them together, so that
    /// each has the error of its own.
    func set(together members: [GroupCommit.Member]) async {
        var left: [GroupCommit.Member] = []
        var group: [(member: GroupCommit.Member, proposal: SettingsProposal, signature: Signature)] = []
        var (after, paths, ids): (LayeredSettings, Set<SettingPath>, Set<String>) = (settings, [], [])
        for (index, member) in members.enumerated() {
            if index % Self.proposalsPerTurn == Self.proposalsPerTurn - 1 { await loop.yield() }
            guard await isNew(member.id, besides: &ids), let proposal = proposal(of: member, on: after, besides: paths)
            else {
                left.append(member)
                continue
            }
            paths.formUnion(proposal.differences.lazy.map(\.path))
            after = proposal.settings
            group.append((member, proposal, member.order.signature))
        }
        if group.count > 1,
            let first = try? await store.commit(together: group.map { request($0.proposal.differences, $0.signature) })
        {
            live.storeFailure = nil
            for (index, one) in group.enumerated() {
                live.state.reference = GenerationRef(store: first.store, generation: first.generation + Int64(index))
                one.member.end(.success(await finish(one.proposal, one.signature)))
                // Watchers see the settings of each generation.
                await loop.yield()
            }
        } else {
            left = members
        }
        for member in left {
            do {
                member.end(.success(try await set(member.plan, member.order, uploads: UploadedContents())))
            } catch {
                member.end(.failure(error))
            }
        }
    }

    /// Returns true if no change was made with an id, as far as it is known, and none of the group has it.
    private func isNew(_ id: String?, besides ids: inout Set<String>) async -> Bool {
        guard let id else { return true }
        guard ids.insert(id).inserted, !live.state.volatile.transactions.contains(where: { $0.id == id }) else {
            return false
        }
        // A store that cannot be read does not take the group, and each change has its error.
        return (try? await history.record(ofID: id)) == nil
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
            let proposal = try? plan.proposal(on: settings, by: order.author),
            proposal.problems.isEmpty, !proposal.differences.isEmpty, proposal.volatileDifferences.isEmpty,
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
