internal import CleatSandbox

extension AdapterSet {
    /// Gives a system in which the files of a change are flushed together: what they hold before the first of them is
    /// touched, their directories once.
    ///
    /// - Parameters:
    ///   - change: what is applied next, part by part.
    ///   - system: the system.
    ///   - origins: what resources were before Cleat touched them, as far as that is known.
    /// - Returns: the system to apply the parts on; ``settle(_:of:on:)`` ends it.
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

    /// Has what was changed outlast a power cut, where nothing has failed: flushes each directory once.
    ///
    /// - Parameters:
    ///   - results: what came of the adapters.
    ///   - stage: what was done.
    ///   - system: the system that it was done on.
    /// - Returns: the results. A directory that could not be flushed is an error: where a change was applied, of the last
    ///   adapter, after which nothing follows; where it was brought back, of the one whose file it is.
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
    /// What was written, or left as it is.
    fileprivate var resources: [Resource] { written + skipped.map(\.resource) }
}

extension Memento {
    /// The file that bringing it back writes; nil where it writes none.
    var coming: ManagedFileWrite? {
        if case .file(let file) = content { ManagedFileWrite(file) } else { nil }
    }
}
