package import CleatSettings

/// The effect of a change of settings on one resource.
package struct ResourceChange: Equatable, Sendable {
    /// The resource.
    package let resource: Resource
    /// The former desired state; nil if the resource was not wanted.
    package let before: ResourceState?
    /// The desired state; nil if the resource is no longer wanted, so that its origin is restored.
    package let after: ResourceState?
    /// A setting that it follows, or followed.
    package let path: SettingPath
    /// True if the owner and mode of a file are reset, too, after an outside edit.
    package var resets = false
    /// True if a message may quote the value; false if the value may be made of a secret.
    package var isQuotable = false

    /// True if the state before Cleat changed the resource is restored: it is no longer wanted, or only kept from
    /// now on.
    package var restoresOrigin: Bool {
        switch after {
        case nil: true
        case .kept: before != nil && before != .kept
        default: false
        }
    }

    /// True if the state before Cleat changed the resource must be known.
    ///
    /// All of it is restored, or a part of it, as for an interface whose addresses are released and whose MTU is
    /// not.
    package var needsOrigin: Bool {
        guard case .interface(let state) = after else { return restoresOrigin || resets }
        guard case .interface(let former) = before else { return false }
        return state.letsGo(of: former)
    }
}
