import CleatAPI
import CleatAdapters
import CleatIO
import CleatObservers
import CleatSettings

extension SettingsEngine {
    /// The outcome for an interface that has appeared.
    enum Arrival: Sendable {
        /// No setting is about it.
        case unwanted
        /// It has disappeared again.
        case gone
        /// It is part of a change on trial, and waits for the end of that.
        case waiting
        /// It is configured as the settings say.
        case configured
        /// It could not be configured, for this reason; it is as it was.
        case failed(String)
    }

    /// True if Cleat itself configures interfaces, so that it has to configure those that appear.
    var configuresInterfaces: Bool { follower.isRunning && follower.adapters.configuresInterfaces }

    /// Returns true if a setting is about an interface.
    func isSet(interface name: String) -> Bool { follower.adapters.isSet(interface: name, settings) }

    /// Configures an interface that has just appeared, by the same steps as any change, and emits an event.
    func configure(appeared name: String) async -> Arrival {
        await takeTurn()
        defer { endTurn() }
        if let transaction,
            (transaction.change.resources + transaction.mementos.map(\.resource)).contains(.interface(name))
        {
            return .waiting
        }
        let (change, problems) = follower.adapters.arrival(of: name, settings)
        if let problem = problems.first { return told(.failed("\(problem.path) \(problem.reason)"), name) }
        guard let part = change.parts.first else { return .unwanted }
        let known: [Resource: KnownResource]
        do {
            // The state of the interface must outlast a failure: its origin is what `unset` restores.
            known = try await knownResources()
        } catch {
            return told(.failed("\(error)"), name)
        }
        // The settings of a held interface are reported as drift.
        guard !follower.adapters.isHeld(.interface(name), settings, known) else { return .unwanted }
        let results = await bring(part, known)
        if let failure = results.first(where: { $0.state == .failed }) {
            return told(.failed(failure.message), name)
        }
        if let words = results.words {
            journal.note(
                .write, generation: reference.generation, author: "cleatd", paths: part.steps.map(\.path.text),
                result: "as \(name) appeared: \(words)")
        }
        return results.contains { $0.state == .notApplied } ? .gone : told(.configured, name)
    }

    private func told(_ arrival: Arrival, _ name: String) -> Arrival {
        var properties: PropertyBlock = ["INTERFACE": name]
        if case .failed(let reason) = arrival { properties.append("REASON", reason) }
        let action = if case .failed = arrival { "interface-failed" } else { "interface-configured" }
        bus.publish(EventDraft(source: .agent, action: action, subject: name, properties: properties))
        return arrival
    }
}

extension SystemFollower {
    /// Returns the interfaces with settings that are missing; the system is not inspected if no interface has settings.
    func missingInterfaces(_ settings: LayeredSettings) async throws -> Set<String> {
        let wanted = adapters.managed(settings).contains { if case .interface = $0.resource { true } else { false } }
        guard wanted else { return [] }
        return try await worker.run { try adapters.missingInterfaces(settings, on: system) }
    }
}

extension SystemChange {
    /// Returns the change without the interfaces that were missing when it was captured, with a result for each of
    /// them.
    func leaving(absentIn mementos: [Memento]) -> (change: SystemChange, told: [CleatAPI.AdapterResult]) {
        let absent = mementos.filter(\.isAbsentInterface)
        if absent.isEmpty { return (self, []) }
        let released = Set(parts.flatMap(\.steps).filter(\.bringsOriginBack).map(\.resource))
        let left = absent.filter { !released.contains($0.resource) }
        let told = left.map { memento in
            CleatAPI.AdapterResult(
                adapter: memento.adapter, state: .notApplied,
                message: "left \(memento.resource): \(SystemResources.absenceOfInterface)")
        }
        return (leaving(Set(left.map(\.resource))), told)
    }
}
