import CleatAPI
import CleatAdapters
import CleatIO

extension SettingsEngine {
    /// How many seconds after each try what was left undone is tried again without being asked.
    static let retries: [Int64] = [5, 60, 600]

    /// Remembers what was left undone, the last failure of each.
    ///
    /// - Parameters:
    ///   - leftovers: what was left undone.
    ///   - isRetried: whether it is tried again some times without being asked.
    func keep(_ leftovers: [Leftover], retrying isRetried: Bool = true) {
        guard !leftovers.isEmpty else { return }
        for leftover in leftovers { forget(leftover.actions) }
        standing.leftovers += leftovers
        guard isRetried, leftovers.contains(where: { !$0.actions.isEmpty }) else { return }
        leftoverTask?.cancel()
        leftoverTask = loop.task(name: "leftovers") {
            for pause in Self.retries {
                do {
                    try await self.loop.sleep(until: .now().advanced(by: .seconds(pause)))
                } catch {
                    return
                }
                guard await self.retryLeftovers() else { return }
            }
        }
    }

    /// Takes as done what ends with one of these actions, which were done.
    func forget(_ actions: [AdapterAction]) {
        guard !standing.leftovers.isEmpty else { return }
        standing.leftovers.removeAll { $0.actions.last.map(actions.contains) ?? false }
    }

    /// Tries again what was left undone; the caller has the turn, so that no program reads what is half written.
    ///
    /// - Returns: what came of it.
    func takeUpLeftovers() async -> [CleatAPI.AdapterResult] {
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

    /// Tries again what was left undone, once nothing else is being changed.
    ///
    /// - Returns: whether something of it is left.
    private func retryLeftovers() async -> Bool {
        await takeTurn()
        defer { endTurn() }
        if Task.isCancelled { return false }
        // A change on trial has the network as it wants it for now.
        if transaction != nil { return true }
        _ = await takeUpLeftovers()
        return standing.leftovers.contains { !$0.actions.isEmpty }
    }
}
