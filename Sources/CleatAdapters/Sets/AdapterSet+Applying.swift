package import CleatIO
internal import CleatSettings

extension AdapterSet {
    /// Captures the states of all touched resources, in the order in which they are applied.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - system: the system.
    ///   - clock: the clock; returns the time since boot.
    /// - Returns: a memento for each resource.
    /// - Throws: the first resource that cannot be captured, or not within its adapter's time limit; nothing may be
    ///   applied then, since it could not be restored.
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

    /// Applies a change, adapter by adapter, up to the first failure.
    ///
    /// When it returns, either all of the change is durable, or a result is a failure.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - system: the system.
    ///   - origins: the states of resources before Cleat changed them, as far as they are known.
    ///   - clock: the clock; returns the time since boot.
    /// - Returns: a result for each adapter that was started; a failure is always the last one.
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

    /// Applies the part of one adapter, up to the first resource that fails, or the time limit.
    ///
    /// On a system from ``batching(_:on:origins:)``, all files are flushed in the time of the adapter that writes the
    /// first of them. Nothing is durable before ``settle(_:of:on:)``.
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

    /// Returns the steps in the order in which they are applied.
    ///
    /// If an adapter has an order of its own for its restorations, they come last, in that order.
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

    /// Returns the mementos in the order of restoration: the last one first, unless an adapter has an order of its own.
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
        // An interface of a network service is restored by the service's actions, after its programs.
        if step.resource.isInterface, adapter != InterfacesAdapter().name {
            return .skipped("it changes with the rest")
        }
        guard let origin = origins[step.resource] else {
            return .skipped("what it was before Cleat changed it is not known")
        }
        return try system.restore(origin)
    }

    /// Restores captured states, the last one first; failures are reported, and the remaining resources are still
    /// restored.
    ///
    /// - Parameters:
    ///   - mementos: the captured states, in the order in which they were captured.
    ///   - system: the system.
    ///   - clock: the clock; returns the time since boot.
    /// - Returns: a result for each adapter, in the order of restoration. A late adapter is reported, but continues,
    ///   since a partial restoration would be worse.
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

    /// Returns the resources that were changed outside Cleat since they were written.
    ///
    /// - Parameters:
    ///   - fingerprints: the results of ``SystemResources/fingerprint(of:)`` right after they were written.
    ///   - system: the system.
    /// - Returns: the drifted resources, sorted by their texts.
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
    /// Returns the kernel values that a change would overwrite although they were changed outside Cleat.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - prints: the results of ``SystemResources/fingerprint(of:)`` right after they were written.
    ///   - system: the system.
    /// - Returns: those values, in the order in which they are applied. Values that cannot be read are omitted, as they
    ///   cannot be captured either, and are refused for that.
    package func overwritten(
        by change: SystemChange, prints: [Resource: String], on system: SystemResources
    ) -> [Drift] {
        change.parts.flatMap(\.steps).filter(\.resource.isKernels).compactMap { step in
            (try? system.overwritten(by: step, print: prints[step.resource])).flatMap(\.self)
        }
    }
}

extension AdapterResult {
    /// Adds the outcome for one resource.
    fileprivate mutating func add(_ outcome: SystemResources.Outcome, for resource: Resource) {
        switch outcome {
        case .written: written.append(resource)
        case .skipped(let reason): skipped.append(Skipped(resource: resource, reason: reason))
        }
    }
}

extension SystemResources {
    /// Returns the drift of a kernel value that a step would overwrite.
    ///
    /// It is nil if the value is as it was written, or already as desired.
    fileprivate func overwritten(by step: SystemChange.Step, print: String?) throws(ResourceError) -> Drift? {
        // The value of a removed device cannot be overwritten.
        if step.bringsOriginBack, isGone(step.resource) { return nil }
        // The value may already be the desired one.
        if let after = step.after, try holds(after, step.resource) { return nil }
        if case (.interface(let name), .interface(let former)) = (step.resource, step.before) {
            let differences = try differences(of: name, from: former) ?? []
            return differences.isEmpty ? nil : Drift(resource: step.resource, kind: .differs(differences))
        }
        guard let print, let now = try fingerprint(of: step.resource), now != print else { return nil }
        return Drift(resource: step.resource, kind: .changed(now))
    }
}
