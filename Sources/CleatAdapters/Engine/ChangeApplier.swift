package import CleatIO
internal import CleatSandbox
internal import CleatSettings

/// Captures, applies and restores the resources of a change, adapter by adapter.
///
/// The files of a change are written in one batch: their contents are flushed before the first file is replaced, and
/// each directory once at the end (``ManagedFileBatch``).
package struct ChangeApplier: Sendable {
    /// The adapters, for their time limits and orders of restoration.
    let adapters: AdapterSet

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
                + "try again")
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
    ) -> [AdapterOutcome] {
        let system = batching(change, on: system, origins: origins)
        var results: [AdapterOutcome] = []
        for part in change.parts {
            let result = apply(part, on: system, origins: origins, clock: clock)
            results.append(result)
            if !result.isSuccess { break }
        }
        return makeDurable(results, of: .apply, on: system)
    }

    /// Applies the part of one adapter, up to the first resource that fails, or the time limit.
    ///
    /// On a system from ``batching(_:on:origins:)``, all files are flushed in the time of the adapter that writes the
    /// first of them. Nothing is durable before ``makeDurable(_:of:on:)``.
    package func apply(
        _ part: SystemChange.Part, on system: SystemResources, origins: [Resource: Memento],
        clock: () -> BootTime = BootTime.now
    ) -> AdapterOutcome {
        var result = AdapterOutcome(adapter: part.adapter)
        let begin = clock()
        for step in inOrder(part, origins) {
            do throws(ResourceError) {
                let outcome = try apply(step, of: part.adapter, on: system, origins: origins)
                if step.restoresOrigin {
                    result.add(outcome, for: step.resource, restoring: origins[step.resource])
                } else {
                    result.add(
                        outcome, for: step.resource, isUnmet: step.after != .kept, removes: step.after == .absent)
                }
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
    /// If an adapter has an order of its own for its restorations, they come in that order, first or last.
    private func inOrder(_ part: SystemChange.Part, _ origins: [Resource: Memento]) -> [ResourceChange] {
        let back = part.steps.filter(\.restoresOrigin)
        guard back.count > 1, let adapter = adapters[part.adapter] as? any RestoreOrdering else { return part.steps }
        let order = adapter.restoreOrder(back.compactMap { origins[$0.resource] })
        let steps = Dictionary(back.map { ($0.resource, $0) }) { first, _ in first }
        let known = Set(order)
        let others = part.steps.filter { !$0.restoresOrigin || !known.contains($0.resource) }
        let restored = order.compactMap { steps[$0] }
        return adapter.releasesFirst ? restored + others : others + restored
    }

    /// Returns the mementos in the order of restoration: the last one first, unless an adapter has an order of its own.
    private func restoreOrder(_ mementos: [Memento]) -> [Memento] {
        var back: [Memento] = []
        var rest = mementos[...]
        while let last = rest.last {
            let own = rest.reversed().prefix { $0.adapter == last.adapter }
            rest = rest.dropLast(own.count)
            guard let adapter = adapters[last.adapter] as? any RestoreOrdering else {
                back += own
                continue
            }
            let order = adapter.restoreOrder(own.reversed())
            let mementos = Dictionary(own.map { ($0.resource, $0) }) { first, _ in first }
            back += order.compactMap { mementos[$0] }
        }
        return back
    }

    private func apply(
        _ step: ResourceChange, of adapter: String, on system: SystemResources, origins: [Resource: Memento]
    ) throws(ResourceError) -> SystemResources.Outcome {
        if !step.restoresOrigin { return try system.apply(step, origin: origins[step.resource]) }
        // An interface of a network service is restored by the service's actions, after its programs.
        if step.resource.isInterface, adapter != InterfacesAdapter().name {
            return .skipped("it changes with the rest")
        }
        guard let origin = origins[step.resource] else {
            return .skipped("its state before Cleat is unknown")
        }
        return try system.restore(origin)
    }

    /// Restores captured states, the last one first; failures are reported, and the remaining resources are still
    /// restored.
    ///
    /// An interface that fails is tried again after the others.
    ///
    /// - Parameters:
    ///   - mementos: the captured states, in the order in which they were captured.
    ///   - system: the system.
    ///   - clock: the clock; returns the time since boot.
    /// - Returns: a result for each adapter, in the order of restoration. A late adapter is reported, but continues,
    ///   since a partial restoration would be worse.
    package func restore(
        _ mementos: [Memento], on system: SystemResources, clock: () -> BootTime = BootTime.now
    ) -> [AdapterOutcome] {
        let mementos = restoreOrder(mementos)
        let system = system.batching(mementos.compactMap(\.pendingWrite))
        var results: [AdapterOutcome] = []
        // An interface may need what another one still has, such as a route, or what it does not have yet.
        var postponed: [Memento] = []
        func restore(_ memento: Memento, mayWait: Bool) {
            let begin = clock()
            if results.last?.adapter != memento.adapter { results.append(AdapterOutcome(adapter: memento.adapter)) }
            let last = results.count - 1
            do throws(ResourceError) {
                results[last].add(try system.restore(memento), for: memento.resource, restoring: memento)
                CrashPoints.pass("restored \(memento.resource)")
            } catch {
                if mayWait { postponed.append(memento) } else { results[last].errors.append(error) }
            }
            results[last].duration += clock().duration(since: begin)
        }
        let hasSeveral = mementos.count { $0.resource.isInterface } > 1
        for memento in mementos { restore(memento, mayWait: hasSeveral && memento.resource.isInterface) }
        for memento in postponed { restore(memento, mayWait: false) }
        for index in results.indices {
            let limit = adapters[results[index].adapter]?.timeLimit
            if let limit, results[index].duration > limit { results[index].isLate = true }
        }
        return makeDurable(results, of: .restore, on: system)
    }

    /// Returns a system in which the files of a change are flushed together.
    ///
    /// Their contents are flushed before the first file is replaced, and each directory once.
    ///
    /// - Parameters:
    ///   - change: the change that is applied next, part by part.
    ///   - system: the system.
    ///   - origins: the states of resources before Cleat changed them, as far as they are known.
    /// - Returns: the system for applying the parts; ``makeDurable(_:of:on:)`` ends the batch.
    package func batching(
        _ change: SystemChange, on system: SystemResources, origins: [Resource: Memento]
    ) -> SystemResources {
        system.batching(
            change.parts.flatMap(\.steps).compactMap { step in
                if step.restoresOrigin { return origins[step.resource]?.pendingWrite }
                guard case .file(let file) = step.after else { return nil }
                return step.resource.path.map {
                    ManagedFileWrite(file.bytes, to: $0, owner: file.owner, permissions: file.permissions)
                }
            })
    }

    /// Flushes each directory once, so that the changes are durable; after a failed apply it abandons the batch
    /// instead.
    ///
    /// - Parameters:
    ///   - results: the results of the adapters.
    ///   - stage: apply or restore.
    ///   - system: the system on which the changes were made.
    /// - Returns: the results. A directory that could not be flushed is an error: of the last adapter if a change was
    ///   applied, as nothing follows it; of the adapter that owns the file if a state was restored.
    package func makeDurable(
        _ results: [AdapterOutcome], of stage: ResourceError.Stage, on system: SystemResources
    ) -> [AdapterOutcome] {
        guard stage == .restore || results.allSatisfy(\.isSuccess) else {
            system.files.abandon()
            return results
        }
        var results = results
        for (path, error) in system.files.makeDurable() {
            let isHere: (Resource) -> Bool = { $0.path == path && !$0.isRuntimeState }
            let owner = results.lastIndex { $0.resources.contains(where: isHere) } ?? results.count - 1
            guard results.indices.contains(owner) else { continue }
            let resource = results[owner].resources.last(where: isHere) ?? .file(path)
            results[owner].written.removeAll { $0 == resource }
            results[owner].skipped.removeAll { $0.resource == resource }
            results[stage == .restore ? owner : results.count - 1].errors.append(ResourceError(stage, resource, error))
        }
        return results
    }
}

extension AdapterOutcome {
    /// Adds the outcome for a resource that was to be as it was captured; nil if that is not known.
    fileprivate mutating func add(
        _ outcome: SystemResources.Outcome, for resource: Resource, restoring memento: Memento?
    ) {
        let isUnmet =
            if case .skipped(SystemResources.isUnchanged) = outcome {
                false
            } else {
                memento.map { !$0.isNothing || resource.handler.reasonForNothing == nil } ?? true
            }
        add(outcome, for: resource, isUnmet: isUnmet, removes: memento?.isAbsentFile == true)
    }

    /// Adds the outcome for one resource.
    fileprivate mutating func add(
        _ outcome: SystemResources.Outcome, for resource: Resource, isUnmet: Bool, removes: Bool
    ) {
        switch outcome {
        case .written:
            written.append(resource)
            if removes { removed.insert(resource) }
        case .skipped(let reason): skipped.append(Skipped(resource: resource, reason: reason, isUnmet: isUnmet))
        }
    }

    /// The resources that were written or skipped.
    fileprivate var resources: [Resource] { written + skipped.map(\.resource) }
}
