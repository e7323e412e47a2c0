import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Waits for the instant at which the confirm window ends.
    func wait(until deadline: BootTime) {
        transaction?.timer?.cancel()
        transaction?.deadline = deadline
        schedule(at: deadline) { engine, id in await engine.windowEnded(id) }
    }

    private func windowEnded(_ id: String) async {
        await takeTurn()
        defer { endTurn() }
        guard var running = transaction, running.id == id, running.machine.state == .awaitingConfirm,
            let deadline = running.deadline, deadline <= .now()
        else { return }
        // This function runs in that task, which must not be cancelled.
        running.timer = nil
        let window = running.window.map { " of \(DurationText.text(milliseconds: $0))" } ?? ""
        running.reason = "nobody confirmed it in its time\(window)"
        if let probes = running.probes { running.reason += ", and \(probes.missing)" }
        await drive(running, .windowEnded)
    }

    /// Retries a failed revert later; after the last retry only an `abort` of a caller does.
    func tryAgain(after attempts: Int) {
        guard attempts < Self.retries.count else { return }
        schedule(at: .now().advanced(by: .seconds(Self.retries[attempts]))) { engine, id in await engine.retry(id) }
    }

    private func retry(_ id: String) async {
        await takeTurn()
        defer { endTurn() }
        guard var running = transaction, running.id == id, running.machine.state == .revertFailed else { return }
        running.timer = nil
        await drive(running, .abort)
    }

    private func schedule(at time: BootTime, _ body: @escaping @Sendable (SettingsEngine, String) async -> Void) {
        guard let id = transaction?.id else { return }
        transaction?.timer = loop.task(name: "trial") {
            do {
                try await self.loop.sleep(until: time)
            } catch {
                return
            }
            await body(self, id)
        }
    }

    /// Cancels the tasks that wait; a trial continues with the next run of the service.
    package func stop() {
        startActions?.cancel()
        leftoverTask?.cancel()
        transaction?.timer?.cancel()
        transaction?.probing?.cancel()
    }
}
