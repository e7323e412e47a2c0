package import CleatSettings

/// What a change of settings changes in the system: the resources that are touched, in the order in which they are
/// applied.
package struct SystemChange: Hashable, Sendable {
    /// What becomes of one resource.
    package struct Step: Hashable, Sendable {
        /// The resource.
        package let resource: Resource
        /// What it was to be before; nil where nothing was wanted of it.
        package let before: ResourceState?
        /// What it shall be; nil where nothing is wanted of it any more, so that its origin comes back.
        package let after: ResourceState?
        /// A setting that it follows, or followed.
        package let path: SettingPath
        /// Whether owner and mode of a file, which somebody else has changed, come back as well.
        package var resets = false
        /// Whether a message may quote the value; not where it may be made of a secret.
        package var isQuotable = false

        /// Whether what the resource was before Cleat touched it comes back: nothing is wanted of it any more, or it is
        /// only kept.
        package var bringsOriginBack: Bool {
            switch after {
            case nil: true
            case .kept: before != nil && before != .kept
            default: false
            }
        }

        /// Whether what the resource was before Cleat touched it must be known: all of it comes back, or a part of it, as of
        /// an interface whose addresses are let go and whose MTU is not.
        package var needsOrigin: Bool {
            guard case .interface(let state) = after else { return bringsOriginBack || resets }
            guard case .interface(let former) = before else { return false }
            return state.letsGo(of: former)
        }
    }

    /// What one adapter changes.
    package struct Part: Hashable, Sendable {
        /// The adapter's name.
        package let adapter: String
        /// Its resources in the order in which they are applied; none where only actions follow the settings.
        package let steps: [Step]
        /// What is to be done once they have changed; not none where no resource is touched.
        package let actions: [AdapterAction]
        /// How long that may take, without the actions.
        package let timeLimit: Duration

        /// The same resources, and nothing to be done once they have changed.
        package var withoutActions: Part {
            Part(adapter: adapter, steps: steps, actions: [], timeLimit: timeLimit)
        }
    }

    /// What each adapter changes, in the declared order; adapters that change nothing are left out.
    package let parts: [Part]
    /// What people should know of settings that nothing follows here.
    package var notes: [String]
    /// The names of the adapters that follow what differs, whether they change anything for it or not.
    package let involved: Set<String>
    /// What documents shall hold that it writes.
    package var contents: DocumentContents = [:]

    /// Nothing that changes.
    package init() { self.init(parts: [], notes: []) }

    /// What one adapter changes.
    package init(_ part: Part) { self.init(parts: [part], notes: []) }

    init(parts: [Part], notes: [String], involved: Set<String> = []) {
        self.parts = parts
        self.notes = notes
        self.involved = involved.union(parts.map(\.adapter))
    }

    /// The same without what would become of some resources.
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

    /// Whether nothing is touched and nothing is to be done.
    package var isEmpty: Bool { parts.isEmpty }

    /// The contents that documents shall have, by their hashes, and the steps that write them.
    package var documents: [(hash: String, step: Step)] {
        parts.flatMap(\.steps).compactMap { step in
            if case .content(let hash) = step.after { (hash, step) } else { nil }
        }
    }

    /// All touched resources, in the order in which they are applied.
    package var resources: [Resource] { parts.flatMap { $0.steps.map(\.resource) } }
}
