package import CleatSettings

extension AdapterSet {
    /// Says what a change would do to the system, resource by resource; nothing is written.
    ///
    /// Files and values that are made of secrets are not shown, and neither are those that not everybody may read.
    ///
    /// - Parameters:
    ///   - change: what changes.
    ///   - before: the settings that the system follows now.
    ///   - after: the settings that it shall follow.
    ///   - system: the system, which is looked at.
    ///   - origins: what resources were before Cleat touched them, as far as that is known.
    /// - Returns: the steps in the order in which they are applied, the consequences that they do not show, and why
    ///   resources cannot be changed.
    package func plan(
        _ change: SystemChange, from before: LayeredSettings, to after: LayeredSettings, on system: SystemResources,
        origins: [Resource: Memento]
    ) -> (steps: [PlannedStep], effects: [String], problems: [SettingProblem]) {
        var steps: [PlannedStep] = []
        var effects: [String] = []
        var problems: [SettingProblem] = []
        for part in change.parts {
            let adapter = adapters.first { $0.name == part.adapter }
            if let adapter {
                effects += adapter.effects(
                    from: followed(before, by: adapter), to: followed(after, by: adapter), on: system)
            }
            for step in part.steps {
                let sources = (adapter?.sources(of: step.resource) ?? []) + [step.path]
                let isSecret = sources.contains { before.holdsSecret(under: $0) || after.holdsSecret(under: $0) }
                do throws(ResourceError) {
                    steps.append(
                        try system.plan(step, of: part.adapter, origin: origins[step.resource], isSecret: isSecret))
                } catch {
                    problems.append(
                        SettingProblem(
                            path: step.path, value: nil, code: .system, reason: "cannot be followed: \(error)"))
                }
            }
        }
        return (steps, effects, problems)
    }
}

extension LayeredSettings {
    /// Whether something in force at a path or below it must not be shown.
    func holdsSecret(under path: SettingPath) -> Bool {
        inForce(under: path).contains { $0.isSecret || schema.hides($0.path) }
    }
}
