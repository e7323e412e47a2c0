package import CleatIO
internal import CleatSettings

extension AdapterSet {
    /// Captures what all touched resources are, in the order in which they are applied.
    ///
    /// - Parameters:
    ///   - change: what changes.
    ///   - system: the system.
    ///   - clock: what tells the time since the start of the board.
    /// - Returns: a memento for each resource.
    /// - Throws: the first one that cannot be captured, or not in its adapter's time: nothing may be applied then, since
    ///   it could not be brought back.
    package func capture(
        _ change: SystemChange, on system: SystemResources, clock: () -> BootTime = BootTime.now
    ) throws(ResourceError) -> [Memento] {
        var mementos: [Memento] = []
        for part in change.parts {
            let begin = clock()
            for step in part.steps {
                mementos.append(try system.capture(step, for: part.adapter))
                if clock().duration(since: begin) > part.timeLimit {
                    throw Self.late(.capture, part, at: step.resource)
                }
            }
        }
        return mementos
    }

    private static func late(
        _ stage: ResourceError.Stage, _ part: SystemChange.Part, at resource: Resource
    ) -> ResourceError {
        ResourceError(
            stage, resource,
            reason:
                "the adapter \(part.adapter) has taken more than \(part.timeLimit); see what makes the board slow, and "
                + "do it again")
    }

    /// Applies a change, adapter after adapter, up to the first one that fails; all of it is durable when this returns, or
    /// there is a failure.
    ///
    /// - Parameters:
    ///   - change: what changes.
    ///   - system: the system.
    ///   - origins: what resources were before Cleat touched them, as far as that is known.
    ///   - clock: what tells the time since the start of the board.
    /// - Returns: a result for each adapter that was begun; only the last one can be a failure.
    package func apply(
        _ change: SystemChange, on system: SystemResources, origins: [Resource: Memento],
        clock: () -> BootTime = BootTime.now
    ) -> [AdapterResult] {
        let system = batching(change, on: system, origins: origins)
        var results: [AdapterResult] = []
        for part in change.parts {
            let result = apply(part, on: system, origins: origins, clock: clock)
            results.append(result)
            if !result.isSuccess { break }
        }
        return settle(results, of: .apply, on: system)
    }

    /// Applies what one adapter changes, up to the first resource that fails, or the end of its time.
    ///
    /// In the system of ``batching(_:on:origins:)`` the adapter whose file is the first of several takes the time to flush
    /// them, and nothing is durable before ``settle(_:of:on:)``.
    package func apply(
        _ part: SystemChange.Part, on system: SystemResources, origins: [Resource: Memento],
        clock: () -> BootTime = BootTime.now
    ) -> AdapterResult {
        var result = AdapterResult(adapter: part.adapter)
        let begin = clock()
        for step in inOrder(part, origins) {
            do throws(ResourceError) {
                result.add(try apply(step, of: part.adapter, on: system, origins: origins), for: step.resource)
                CrashPoints.pass("applied \(step.resource)")
            } catch {
                result.errors.append(error.naming(step))
            }
            result.duration = clock().duration(since: begin)
            if result.duration > part.timeLimit {
                result.isLate = true
                if result.errors.isEmpty { result.errors = [Self.late(.apply, part, at: step.resource)] }
            }
            if !result.errors.isEmpty { break }
        }
        return result
    }

    /// The steps as they are applied: those that bring back what was there last, where the adapter says in what order.
    private func inOrder(_ part: SystemChange.Part, _ origins: [Resource: Memento]) -> [SystemChange.Step] {
        let back = part.steps.filter(\.bringsOriginBack)
        guard back.count > 1, let adapter = adapters.first(where: { $0.name == part.adapter }),
            let order = adapter.wayBack(back.compactMap { origins[$0.resource] })
        else { return part.steps }
        let steps = Dictionary(back.map { ($0.resource, $0) }) { first, _ in first }
        let known = Set(order)
        return part.steps.filter { !$0.bringsOriginBack || !known.contains($0.resource) }
            + order.compactMap { steps[$0] }
    }

    /// The mementos as they are brought back: the last one first, but where an adapter says otherwise of its own.
    private func wayBack(_ mementos: [Memento]) -> [Memento] {
        var back: [Memento] = []
        var rest = mementos[...]
        while let last = rest.last {
            let own = rest.reversed().prefix { $0.adapter == last.adapter }
            rest = rest.dropLast(own.count)
            let adapter = adapters.first { $0.name == last.adapter }
            guard let order = adapter?.wayBack(own.reversed()) else {
                back += own
                continue
            }
            let mementos = Dictionary(own.map { ($0.resource, $0) }) { first, _ in first }
            back += order.compactMap { mementos[$0] }
        }
        return back
    }

    private func apply(
        _ step: SystemChange.Step, of adapter: String, on system: SystemResources, origins: [Resource: Memento]
    ) throws(ResourceError) -> SystemResources.Outcome {
        if !step.bringsOriginBack, let after = step.after {
            return try system.apply(
                after, to: step.resource, after: step.before, origin: origins[step.resource], resets: step.resets)
        }
        // What a service has is given back by its actions, behind its programs.
        if step.resource.isInterface, adapter != InterfacesAdapter().name {
            return .skipped("it changes with the rest")
        }
        guard let origin = origins[step.resource] else {
            return .skipped("what it was before Cleat changed it is not known")
        }
        return try system.restore(origin)
    }

    /// Brings back what was captured, the last one first; what fails is reported, and the rest goes on.
    ///
    /// - Parameters:
    ///   - mementos: in the order in which they were captured.
    ///   - system: the system.
    ///   - clock: what tells the time since the start of the board.
    /// - Returns: a result for each adapter, in the order in which they were brought back. One that is late is told, but
    ///   goes on: half of what was captured is worse.
    package func restore(
        _ mementos: [Memento], on system: SystemResources, clock: () -> BootTime = BootTime.now
    ) -> [AdapterResult] {
        let mementos = wayBack(mementos)
        let system = system.batching(mementos.compactMap(\.coming))
        var results: [AdapterResult] = []
        for memento in mementos {
            let begin = clock()
            if results.last?.adapter != memento.adapter { results.append(AdapterResult(adapter: memento.adapter)) }
            let last = results.count - 1
            do throws(ResourceError) {
                results[last].add(try system.restore(memento), for: memento.resource)
                CrashPoints.pass("restored \(memento.resource)")
            } catch {
                results[last].errors.append(error)
            }
            results[last].duration += clock().duration(since: begin)
        }
        for index in results.indices {
            let limit = adapters.first { $0.name == results[index].adapter }?.timeLimit
            if let limit, results[index].duration > limit { results[index].isLate = true }
        }
        return settle(results, of: .restore, on: system)
    }

    /// Says which resources somebody else has changed since they were written.
    ///
    /// - Parameters:
    ///   - fingerprints: what ``SystemResources/fingerprint(of:)`` gave right after they were written.
    ///   - system: the system.
    /// - Returns: them, sorted by their texts.
    package func drift(of fingerprints: [Resource: String], on system: SystemResources) -> [Drift] {
        var found: [Drift] = []
        for (resource, expected) in fingerprints.sorted(by: { $0.key < $1.key }) {
            do throws(ResourceError) {
                if let now = try system.fingerprint(of: resource), now != expected {
                    found.append(Drift(resource: resource, kind: .changed(now)))
                }
            } catch {
                found.append(Drift(resource: resource, kind: .unreadable(error)))
            }
        }
        return found
    }
}

extension AdapterSet {
    /// Says which values of the kernel a change makes something else that somebody else has set since they were written.
    ///
    /// - Parameters:
    ///   - change: what changes.
    ///   - prints: what ``SystemResources/fingerprint(of:)`` gave right after they were written.
    ///   - system: the system.
    /// - Returns: those values, in the order in which they are applied; without what cannot be looked at, which cannot be
    ///   captured either, and is refused for that.
    package func overwritten(
        by change: SystemChange, prints: [Resource: String], on system: SystemResources
    ) -> [Drift] {
        change.parts.flatMap(\.steps).filter(\.resource.isKernels).compactMap { step in
            (try? system.overwritten(by: step, print: prints[step.resource])).flatMap(\.self)
        }
    }
}

extension AdapterResult {
    /// Takes what came of one resource.
    fileprivate mutating func add(_ outcome: SystemResources.Outcome, for resource: Resource) {
        switch outcome {
        case .written: written.append(resource)
        case .skipped(let reason): skipped.append(Skipped(resource: resource, reason: reason))
        }
    }
}

extension SystemResources {
    /// What somebody else has made of a value of the kernel's that a step makes something else; nil where it is as it was
    /// written, or as it shall be.
    fileprivate func overwritten(by step: SystemChange.Step, print: String?) throws(ResourceError) -> Drift? {
        // Of a device that has gone nothing is overwritten.
        if step.bringsOriginBack, isGone(step.resource) { return nil }
        // What it shall be it may be already.
        if let after = step.after, try holds(after, step.resource) { return nil }
        if case (.interface(let name), .interface(let former)) = (step.resource, step.before) {
            let differences = try differences(of: name, from: former) ?? []
            return differences.isEmpty ? nil : Drift(resource: step.resource, kind: .differs(differences))
        }
        guard let print, let now = try fingerprint(of: step.resource), now != print else { return nil }
        return Drift(resource: step.resource, kind: .changed(now))
    }
}
