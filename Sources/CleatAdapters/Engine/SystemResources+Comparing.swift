import CleatOrder
internal import CleatSandbox

/// The result of comparing a resource with its captured state.
package struct VerifiedResource: Equatable, Sendable {
    /// The outcome of the comparison.
    package enum State: Equatable, Sendable {
        /// The resource is the same, byte for byte.
        case same
        /// The resource differs; the text describes the difference.
        case differs(String)
        /// There was nothing to capture.
        case untouched
    }

    /// The adapter that the resource was captured for.
    package let adapter: String
    /// The resource.
    package let resource: Resource
    /// The outcome of the comparison.
    package let state: State
}

extension SystemResources {
    /// Compares the system with the captured states; nothing is written.
    ///
    /// - Parameter mementos: the captured states.
    /// - Returns: one result for each memento, in their order.
    package func verify(_ mementos: [Memento]) -> [VerifiedResource] {
        mementos.map { memento in
            let state: VerifiedResource.State
            do throws(ResourceError) {
                let now = try capture(memento.resource, for: memento.adapter)
                state =
                    now == memento ? memento.isNothing ? .untouched : .same : .differs(memento.difference(from: now))
            } catch {
                state = .differs("\(error)")
            }
            return VerifiedResource(adapter: memento.adapter, resource: memento.resource, state: state)
        }
    }

    /// Returns the resources that were changed outside Cleat since they were written.
    ///
    /// - Parameter fingerprints: the results of ``SystemResources/fingerprint(of:)`` right after they were written.
    /// - Returns: the drifted resources, sorted by their texts.
    package func drift(of fingerprints: [Resource: String]) -> [Drift] {
        var found: [Drift] = []
        for (resource, expected) in fingerprints.ordered(by: { $0.key < $1.key }) {
            do throws(ResourceError) {
                if let now = try fingerprint(of: resource), now != expected {
                    found.append(Drift(resource: resource, kind: .changed(now)))
                }
            } catch {
                found.append(Drift(resource: resource, kind: .unreadable(error)))
            }
        }
        return found
    }

    /// Returns the kernel values that a change would overwrite although they were changed outside Cleat.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - prints: the results of ``SystemResources/fingerprint(of:)`` right after they were written.
    /// - Returns: those values, in the order in which they are applied. Values that cannot be read are omitted, as they
    ///   cannot be captured either, and are refused for that.
    package func overwritten(
        by change: SystemChange, prints: [Resource: String]
    ) -> [Drift] {
        change.parts.flatMap(\.steps).filter(\.resource.isRuntimeState).compactMap { step in
            (try? overwritten(by: step, print: prints[step.resource])).flatMap(\.self)
        }
    }

    /// Returns the drift of a kernel value that a step would overwrite.
    ///
    /// It is nil if the value is as it was written, or already as desired.
    private func overwritten(by step: ResourceChange, print: String?) throws(ResourceError) -> Drift? {
        // The value of a removed device cannot be overwritten.
        if step.restoresOrigin, isGone(step.resource) { return nil }
        // The value may already be the desired one.
        if let after = step.after, try holds(after, step.resource) { return nil }
        if case (.interface(let name), .interface(let former)) = (step.resource, step.before) {
            let differences = try InterfaceResource(name: name).differences(from: former, on: self) ?? []
            return differences.isEmpty ? nil : Drift(resource: step.resource, kind: .differs(differences))
        }
        guard let print, let now = try fingerprint(of: step.resource), now != print else { return nil }
        return Drift(resource: step.resource, kind: .changed(now))
    }
}
