package import CleatSettings

/// A resource that differs from its last written or desired state.
package struct Drift: Equatable, Sendable {
    /// The kind of difference.
    package enum Kind: Equatable, Sendable {
        /// The resource was changed; it has this fingerprint now.
        case changed(String)
        /// The interface has these differences.
        case differs([InterfaceDifference])
        /// The resource does not exist any more.
        case missing
        /// The resource is no longer wanted and not yet restored; its present fingerprint, empty if unknown.
        case released(String)
        /// The resource waits for a request: the adapter of this name, for another service, managed the network when
        /// its settings were made.
        case held(former: String)
        /// The desired state was never applied.
        case notApplied
        /// The resource cannot be read.
        case unreadable(ResourceError)
    }

    /// The resource.
    package let resource: Resource
    /// The kind of difference.
    package let kind: Kind
    /// The adapter that the resource was written for; empty if it is not known.
    package let adapter: String
    /// A setting that the resource follows; nil if there is none any more.
    package let setting: SettingPath?

    /// Creates a drift.
    package init(resource: Resource, kind: Kind, adapter: String = "", setting: SettingPath? = nil) {
        self.resource = resource
        self.kind = kind
        self.adapter = adapter
        self.setting = setting
    }

    /// True if the resource waits for a request.
    package var isHeld: Bool { if case .held = kind { true } else { false } }
}
