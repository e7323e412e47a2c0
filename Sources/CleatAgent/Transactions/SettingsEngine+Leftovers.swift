import CleatAPI
import CleatAdapters
import CleatIO

extension SettingsEngine {
    /// How many seconds after each try what was left undone is tried again without being asked.
    static let retries: [Int64] = [5, 60, 600]
    /// How many seconds to wait where a change is on trial then.
    private static let pauseOnTrial: Int64 = 60

    /// Remembers what was left undone, the last failure of each.
    ///
    /// - Parameters:
    ///   - leftovers: what was left undone.
    ///   - isRetried: whether it is tried again some times without being asked.
    func keep(_ leftovers: [Leftover], retrying isRetried: Bool = true) {
        guard !leftovers.isEmpty else { return }
        forget(leftovers.compactMap(\.failed))
        standing.leftovers += leftovers
        guard isRetried, leftovers.contains(where: { !$0.actions.isEmpty }) else { return }
        leftoverTask?.cancel()
        leftoverTask = loop.task(name: "leftovers") {
            for pause in Self.retries {
                do {
                    try await self.loop.sleep(until: .now().advanced(by: .seconds(pause)))
                    while !(try await self.retryLeftovers()) {
                        try await self.loop.sleep(until: .now().advanced(by: .seconds(Self.pauseOnTrial)))
                    }
                } catch {
                    return
                }
                guard await self.canRetry else { return }
            }
        }
    }

    /// Whether a change is on its way, or on trial: it has the network as it wants it for now.
    private var isOnTrial: Bool { transaction != nil }

    /// Takes as done what failed and has been done since, or must not be done any more.
    func forget(_ actions: [AdapterAction]) {
        guard !standing.leftovers.isEmpty else { return }
        standing.leftovers.removeAll { leftover in
            leftover.failed.map { failed in actions.contains { $0.supersedes(failed) } } ?? false
        }
    }

    /// Tries again what was left undone; the caller has the turn, so that no program reads what is half written.
    ///
    /// - Returns: what came of it; nothing while a change is on trial.
    func takeUpLeftovers() async -> [CleatAPI.AdapterResult] {
        guard !isOnTrial else { return [] }
        var results: [CleatAPI.AdapterResult] = []
        var done: [[AdapterAction]] = []
        for actions in standing.leftovers.map(\.actions) where !actions.isEmpty && !done.contains(actions) {
            done.append(actions)
            let (told, leftovers) = await follower.takeUp(actions)
            results += told
            forget(actions)
            standing.leftovers += leftovers
        }
        return results
    }

    /// Whether something is left that can be tried again.
    private var canRetry: Bool { standing.leftovers.contains { !$0.actions.isEmpty } }

    /// Tries again what was left undone, once nothing else is being changed.
    ///
    /// - Returns: false where a change is on trial, so that nothing was tried.
    /// - Throws: `CancellationError` where it is not to be tried any more.
    private func retryLeftovers() async throws -> Bool {
        await takeTurn()
        defer { endTurn() }
        try Task.checkCancellation()
        if isOnTrial { return false }
        _ = await takeUpLeftovers()
        return true
    }
}
