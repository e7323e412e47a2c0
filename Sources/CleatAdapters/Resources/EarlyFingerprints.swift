import Synchronization

/// The fingerprints of files that are read before they are asked for: a start reads the files on the worker while it
/// reads the schemas. Each is used once.
package final class EarlyFingerprints: Sendable {
    private let prints = Mutex<[Resource: String]>([:])

    /// Creates an empty set.
    package init() {}

    /// Reads the fingerprints of resources; one that cannot be read is read again when it is asked for.
    package func read(_ resources: [Resource], on system: SystemResources) {
        for resource in resources {
            guard let print = try? system.fingerprint(of: resource) else { continue }
            prints.withLock { $0[resource] = print }
        }
    }

    /// Returns the fingerprint of a resource, and forgets it.
    func take(_ resource: Resource) -> String? { prints.withLock { $0.removeValue(forKey: resource) } }

    /// Forgets those that were not used: from now on files can change without a new fingerprint.
    package func forget() { prints.withLock { $0 = [:] } }
}
