import CleatAdapters
import CleatIO

extension SystemApplier {
    /// The time in which a program has to answer so that the start of the service waits for it.
    private static let patience = Duration.seconds(1)

    /// Asks programs for their fingerprints, without any lock: those that do not answer in time are not asked again by
    /// the inspection that follows with the lock.
    ///
    /// - Parameter resources: The states of the programs.
    func ask(_ resources: some Collection<Resource> & Sendable) async {
        guard isRunning, !resources.isEmpty else { return }
        // The inspection reports the failures.
        try? await probing.run { for resource in resources { system.ask(resource) } }
    }

    /// Returns true if programs answer soon.
    func answerSoon(_ resources: [Resource]) async -> Bool {
        if resources.isEmpty { return true }
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        loop.task(name: "asking programs") {
            await ask(resources)
            answer.yield(resources.allSatisfy { !system.isPaused($0) })
        }
        loop.task(name: "waiting for programs") {
            try? await loop.sleep(for: Self.patience)
            answer.yield(false)
        }
        for await answer in answers { return answer }
        return false
    }
}
