import CleatAPI
import CleatAdapters
import CleatIO
import CleatObservers
import CleatSettings

extension SystemReconciler {
    /// The outcome for an interface that has appeared.
    enum Arrival: Sendable {
        /// No setting is about it, or another program configures interfaces.
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

    /// Returns true if a setting is about an interface.
    func isSet(interface name: String) -> Bool {
        applier.isRunning && applier.adapters.isSet(interface: name, settings)
    }

    /// Configures an interface that has just appeared, by the same steps as any change, and emits an event.
    func configure(appeared name: String) async -> Arrival {
        if let transaction,
            transaction.touched.contains(.interface(name))
        {
            return .waiting
        }
        if live.services.awaitsMount { return .waiting }
        await followServices()
        guard applier.adapters.configuresInterfaces else { return .unwanted }
        let (change, problems) = applier.adapters.arrival(of: name, settings)
        if let problem = problems.first { return publish(.failed("\(problem.path) \(problem.reason)"), name) }
        guard let part = change.parts.first else { return .unwanted }
        let known: [Resource: KnownResource]
        do {
            // The state of the interface must outlast a failure: its origin is what `unset` restores.
            known = try await resources.all()
        } catch {
            return publish(.failed("\(error)"), name)
        }
        // The settings of a held interface are reported as drift.
        guard !applier.adapters.isHeld(.interface(name), settings, known) else { return .unwanted }
        let results = await write(part, known)
        if let failure = results.first(where: { $0.state == .failed }) {
            return publish(.failed(failure.message), name)
        }
        if let words = results.words {
            journal.note(
                .write, generation: reference.generation, author: "cleatd", paths: part.steps.map(\.path.text),
                result: "as \(name) appeared: \(words)")
        }
        return results.contains { $0.state == .notApplied } ? .gone : publish(.configured, name)
    }

    private func publish(_ arrival: Arrival, _ name: String) -> Arrival {
        var properties: PropertyBlock = ["INTERFACE": name]
        if case .failed(let reason) = arrival { properties.append("REASON", reason) }
        let action = if case .failed = arrival { "interface-failed" } else { "interface-configured" }
        live.services.bus.publish(EventDraft(source: .agent, action: action, subject: name, properties: properties))
        return arrival
    }
}
