import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatStore

extension SystemFollower {
    /// Returns the change in the form for the time of its trial: the board keeps its present addresses.
    func onTrial(
        _ change: SystemChange, from before: LayeredSettings, to after: LayeredSettings
    ) async throws -> SystemChange {
        guard isRunning, !change.isEmpty else { return change }
        return try await worker.run { try adapters.onTrial(change, from: before, to: after, on: system) }
    }

    /// Removes what was only kept for the time of the trial.
    ///
    /// Interfaces that were missing when the change was started have nothing to remove.
    func settle(
        from before: LayeredSettings, to after: LayeredSettings, at paths: [SettingPath], besides mementos: [Memento]
    ) async throws -> (change: SystemChange, results: [CleatAPI.AdapterResult]) {
        guard isRunning else { return (SystemChange(), []) }
        let absent = Set(mementos.filter(\.isAbsentInterface).map(\.resource))
        let change = try await worker.run {
            try adapters.settling(from: before, to: after, at: paths, on: system).leaving(absent)
        }
        return (change, try await apply(change, origins: [:], captured: []))
    }
}

extension SettingsEngine {
    /// Removes what was only kept for the time of the trial, before the change is confirmed.
    ///
    /// A service that ends between the two finds the change still on trial, and does it again when that is confirmed.
    func settle() async throws {
        guard let running = transaction, running.machine.isTrial, let before = running.before else { return }
        let (change, results) = try await follower.settle(
            from: before, to: settings, at: Array(running.paths), besides: running.mementos)
        guard let failure = results.first(where: { $0.state == .failed }) else {
            // The fingerprints of these writes replace those of the trial.
            let settled = try await follower.fingerprints(of: change)
            let names = Set(settled.map(\.resource))
            transaction?.fingerprints.removeAll { names.contains($0.resource) }
            transaction?.fingerprints += settled
            return
        }
        throw APIError.storeFailed(
            code: "settle",
            message: "what was kept for the time of the trial could not be taken away (\(failure.adapter): "
                + "\(failure.message)); the change is still on trial, confirm it again")
    }
}
