import CleatAPI
import CleatAdapters
import CleatIO

extension SettingsEngine {
    /// The delays in seconds before the automatic retries of failed actions.
    static let retries: [Int64] = [5, 60, 600]
    /// The delay in seconds if a change is on trial at that time.
    private static let pauseOnTrial: Int64 = 60

    /// Records failed actions, with the last failure of each.
    ///
    /// - Parameters:
    ///   - leftovers: The failed actions.
    ///   - isRetried: True if they are retried automatically a few times.
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

    /// True if a change is being applied, or on trial: it controls the network for now.
    private var isOnTrial: Bool { transaction != nil }

    /// Removes the failures of actions that have succeeded since, or must not be run any more.
    func forget(_ actions: [AdapterAction]) {
        guard !standing.leftovers.isEmpty else { return }
        standing.leftovers.removeAll { leftover in
            leftover.failed.map { failed in actions.contains { $0.supersedes(failed) } } ?? false
        }
    }

    /// Retries the failed actions; the caller has the turn, so that no program reads a half-written file.
    ///
    /// - Returns: The results; empty while a change is on trial.
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

    /// True if there is a failed action that can be retried.
    private var canRetry: Bool { standing.leftovers.contains { !$0.actions.isEmpty } }

    /// Retries the failed actions, once nothing else is being changed.
    ///
    /// - Returns: False if a change is on trial, so that nothing was retried.
    /// - Throws: `CancellationError` if the retries are cancelled.
    private func retryLeftovers() async throws -> Bool {
        await takeTurn()
        defer { endTurn() }
        try Task.checkCancellation()
        if isOnTrial { return false }
        _ = await takeUpLeftovers()
        return true
    }
}
