internal import CleatSandbox

/// The result of comparing a resource with its captured state.
package struct VerifiedResource: Hashable, Sendable {
    /// The outcome of the comparison.
    package enum State: Hashable, Sendable {
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

extension AdapterSet {
    /// Compares the system with the captured states; nothing is written.
    ///
    /// - Parameters:
    ///   - mementos: the captured states.
    ///   - system: the system.
    /// - Returns: one result for each memento, in their order.
    package func verify(_ mementos: [Memento], on system: SystemResources) -> [VerifiedResource] {
        mementos.map { memento in
            let state: VerifiedResource.State
            do throws(ResourceError) {
                let now = try system.capture(memento.resource, for: memento.adapter)
                // Mementos of older versions hold less about the same file.
                let isSame = now == memento || !memento.isNothing && !now.isNothing && now.isSame(as: memento)
                state = isSame ? memento.isNothing ? .untouched : .same : .differs(memento.difference(from: now))
            } catch {
                state = .differs("\(error)")
            }
            return VerifiedResource(adapter: memento.adapter, resource: memento.resource, state: state)
        }
    }
}

extension Memento {
    /// Returns a description of the difference, without any content.
    fileprivate func difference(from now: Memento) -> String {
        guard case .file(let before) = content, case .file(let after) = now.content else {
            return "its value is not what it was"
        }
        guard let old = before.content, let new = after.content else {
            if before.isAbsence, after.isAbsence { return "directories were missing, and are there now" }
            if before.isAbsence { return "there was none, and there is one now" }
            if after.isAbsence { return "it was there, and is not any more" }
            if let old = before.linkTarget, let new = after.linkTarget, old != new {
                return "it was a link to \(old), and is one to \(new)"
            }
            return before.linkTarget == nil || after.linkTarget == nil
                ? "it is no longer of the same kind" : "its owner is another one"
        }
        var parts: [String] = []
        if old.bytes != new.bytes {
            parts.append("its content differs (\(old.bytes.count) bytes before, \(new.bytes.count) now)")
        }
        if old.permissions != new.permissions {
            parts.append(
                "its mode was 0\(String(old.permissions, radix: 8)), and is 0\(String(new.permissions, radix: 8))")
        }
        if old.owner != new.owner { parts.append("its owner is another one") }
        if old.attributes != new.attributes { parts.append("its extended attributes differ") }
        return parts.joined(separator: "; ")
    }
}
