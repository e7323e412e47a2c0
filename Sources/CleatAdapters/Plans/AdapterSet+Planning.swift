package import CleatSettings

extension AdapterSet {
    /// Describes the effects of a change on the system, resource by resource; nothing is written.
    ///
    /// Files and values that are made of secrets, or that not everybody may read, are not shown.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - before: the settings that the system follows now.
    ///   - after: the settings that the system will follow.
    ///   - system: the system, which is only read.
    ///   - origins: the states of resources before Cleat changed them, as far as they are known.
    /// - Returns: the steps in the order in which they are applied, further consequences, and the reasons why resources
    ///   cannot be changed.
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
    /// Returns true if a setting in force at a path or below it is secret.
    func holdsSecret(under path: SettingPath) -> Bool {
        inForce(under: path).contains { $0.isSecret || schema.hides($0.path) }
    }
}
