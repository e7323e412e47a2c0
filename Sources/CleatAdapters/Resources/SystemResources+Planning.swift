package import CleatAPI
internal import CleatSandbox
internal import SystemPackage

extension SystemResources {
    /// Returns the right or kernel value that a step of a change lacks, as the end of a sentence with the remedy; nil
    /// if nothing is missing.
    ///
    /// It only checks: a full file system shows when the resource is written.
    func missingRight(to step: ResourceChange) -> String? {
        let handler = step.resource.handler
        return isRunning || handler.isCheckedBelowRoot ? handler.missingRight(to: step, on: self) : nil
    }

    /// Returns the file steps that would fail.
    ///
    /// Either the directory is missing and no earlier step creates it, or the file was behind a link that points
    /// elsewhere now.
    ///
    /// - Parameters:
    ///   - steps: the steps, in the order in which they are applied.
    ///   - origins: the states to restore; a file that was absent needs no directory.
    /// - Returns: those steps, and the reasons, as ends of sentences with the remedy.
    func missingDirectories(
        of steps: [ResourceChange], origins: [Resource: Memento]
    ) -> [(step: ResourceChange, reason: String)] {
        var made: Set<String> = []
        var missing: [(step: ResourceChange, reason: String)] = []
        for step in steps {
            let path: String
            switch step.resource {
            case .file(let file), .link(let file): path = file
            default: continue
            }
            var origin: FileMemento?
            if step.restoresOrigin {
                guard let file = origins[step.resource]?.file else { continue }
                if let reason = files.changedWay(of: file) {
                    missing.append((step, "needs to restore \(path): \(reason)"))
                    continue
                }
                if file.isAbsence { continue }
                origin = file
            } else if step.after == .absent || step.after == .kept {
                continue
            }
            let directory = FilePath(path).removingLastComponent().string
            let lacked = files.missingDirectory(of: path, restoring: origin)
            if case .behindLink(let target) = lacked {
                missing.append(
                    (
                        step,
                        "needs \(path), a symbolic link to \(target), whose directory does not exist; make it, or "
                            + "remove the link"
                    ))
            } else if files.makesParents(of: path) {
                var way = FilePath(directory)
                while made.insert(way.string).inserted, way.removeLastComponent() {}
            } else if lacked == .own, !made.contains(directory) {
                missing.append(
                    (
                        step,
                        "needs \(path), whose directory does not exist; make it, or set “makeDirectories” in the "
                            + "schema file"
                    ))
            }
        }
        return missing
    }

    /// Describes the effect of a step of a change on its resource; nothing is written.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - adapter: the adapter that wants it.
    ///   - origin: the state before Cleat changed the resource, if the step restores it.
    ///   - isSecret: true if the present or the new content is made of a secret.
    ///   - isMade: true if the resource is an interface that the change makes.
    /// - Returns: the planned step.
    /// - Throws: the reason why the resource cannot be captured, and so could not be changed.
    package func plan(
        _ step: ResourceChange, of adapter: String, origin: Memento?, isSecret: Bool, isMade: Bool = false
    ) throws(ResourceError) -> PlannedStep {
        let resource = step.resource
        if let reason = reasonToSkip(resource) { return PlannedStep(adapter, resource, .skipped, note: reason) }
        let before = try capture(step, for: adapter)
        if case .attribute = resource, step.restoresOrigin, before.isNothing {
            return PlannedStep(adapter, resource, .skipped, note: "it does not exist any more")
        }
        if before.isAbsentInterface, !isMade {
            return PlannedStep(adapter, resource, .skipped, note: Self.absenceOfInterface)
        }
        var planned = PlannedStep(adapter, resource, .change)
        let goal: PlannedGoal
        if !step.restoresOrigin, let after = step.after {
            if case .kept = after {
                return PlannedStep(adapter, resource, .skipped, note: "it changes with others of \(adapter)")
            }
            goal = .state(after)
        } else if let origin {
            goal = .memento(origin)
            planned.note = "its state before Cleat is restored"
        } else {
            return PlannedStep(adapter, resource, .skipped, note: "its state before Cleat is unknown")
        }
        try resource.handler.plan(&planned, from: before, to: goal, isSecret: isSecret, on: self)
        return planned
    }
}
