internal import CleatSettings

/// The effect of a change of settings on the system: the touched resources, in the order in which they are applied.
package struct SystemChange: Equatable, Sendable {
    /// The effect on one resource.
    package typealias Step = ResourceChange

    /// The part of the change for one adapter.
    package struct Part: Equatable, Sendable {
        /// The adapter's name.
        package let adapter: String
        /// The steps in the order in which they are applied; empty if only actions follow the settings.
        package let steps: [Step]
        /// The actions after the steps; not empty if there are no steps.
        package let actions: [AdapterAction]
        /// The time limit of the steps, without the actions.
        package let timeLimit: Duration

        /// The same steps without actions.
        package var withoutActions: Part {
            Part(adapter: adapter, steps: steps, actions: [], timeLimit: timeLimit)
        }
    }

    /// The parts of the adapters, in their declared order; adapters without changes are omitted.
    package let parts: [Part]
    /// Notes for users, on settings that nothing supports here.
    package var notes: [String]
    /// The names of the adapters that follow the changed settings, even if they change nothing.
    package let involved: Set<String>
    /// The contents of the documents that the change writes.
    package var contents: DocumentContents = [:]

    /// Creates an empty change.
    package init() { self.init(parts: [], notes: []) }

    /// Creates a change of one adapter.
    package init(_ part: Part) { self.init(parts: [part], notes: []) }

    init(parts: [Part], notes: [String], involved: Set<String> = []) {
        self.parts = parts
        self.notes = notes
        self.involved = involved.union(parts.map(\.adapter))
    }

    /// Returns the change without the steps for some resources.
    package func leaving(_ resources: Set<Resource>) -> SystemChange {
        if resources.isEmpty { return self }
        let left = parts.map { part in
            Part(
                adapter: part.adapter, steps: part.steps.filter { !resources.contains($0.resource) },
                actions: part.actions, timeLimit: part.timeLimit)
        }
        var change = SystemChange(
            parts: left.filter { !$0.steps.isEmpty || !$0.actions.isEmpty }, notes: notes, involved: involved)
        change.contents = contents
        return change
    }

    /// Returns true if a captured interface did not exist, and is not a virtual one that the change makes.
    package func lacks(_ memento: Memento) -> Bool { memento.isAbsentInterface && !makes(memento.resource) }

    /// Returns true if the change makes an interface.
    func makes(_ interface: Resource) -> Bool {
        guard case .interface(let name) = interface else { return false }
        return parts.contains { $0.steps.contains { $0.resource == .virtualLink(name) && $0.after != nil } }
    }

    /// True if the change has neither steps nor actions.
    package var isEmpty: Bool { parts.isEmpty }

    /// The documents that the change writes: the hash of each content, and the step.
    package var documents: [(hash: String, step: Step)] {
        parts.flatMap(\.steps).compactMap { step in
            if case .content(let hash) = step.after { (hash, step) } else { nil }
        }
    }

    /// All touched resources, in the order in which they are applied.
    package var resources: [Resource] { parts.flatMap { $0.steps.map(\.resource) } }
}
