internal import CleatSandbox

extension AdapterSet {
    /// Returns a system in which the files of a change are flushed together.
    ///
    /// Their contents are flushed before the first file is replaced, and each directory once.
    ///
    /// - Parameters:
    ///   - change: the change that is applied next, part by part.
    ///   - system: the system.
    ///   - origins: the states of resources before Cleat changed them, as far as they are known.
    /// - Returns: the system for applying the parts; ``settle(_:of:on:)`` ends the batch.
    package func batching(
        _ change: SystemChange, on system: SystemResources, origins: [Resource: Memento]
    ) -> SystemResources {
        system.batching(
            change.parts.flatMap(\.steps).compactMap { step in
                if step.bringsOriginBack { return origins[step.resource]?.coming }
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
    package func settle(
        _ results: [AdapterResult], of stage: ResourceError.Stage, on system: SystemResources
    ) -> [AdapterResult] {
        guard stage == .restore || results.allSatisfy(\.isSuccess) else {
            system.files.abandon()
            return results
        }
        var results = results
        for (path, error) in system.files.settle() {
            let isHere: (Resource) -> Bool = { $0.path == path && !$0.isKernels }
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

extension AdapterResult {
    /// The resources that were written or skipped.
    fileprivate var resources: [Resource] { written + skipped.map(\.resource) }
}

extension Memento {
    /// The file write that restores it; nil if it restores no file.
    var coming: ManagedFileWrite? {
        if case .file(let file) = content { ManagedFileWrite(file) } else { nil }
    }
}
