package import CleatSettings

/// A resource that is not what was last written.
package struct Drift: Hashable, Sendable {
    /// How it differs.
    package enum Kind: Hashable, Sendable {
        /// It is something else, with this fingerprint.
        case changed(String)
        /// It is an interface that differs in this.
        case differs([InterfaceDifference])
        /// It is not there any more.
        case missing
        /// Nothing is wanted of it any more, but somebody has changed it since it was written.
        case letGo(String)
        /// It waits until somebody asks for it: the adapter of another service, of this name, was in its place when its
        /// settings were made.
        case held(former: String)
        /// It was never made what it shall be.
        case notApplied
        /// It cannot be looked at.
        case unreadable(ResourceError)
    }

    /// The resource.
    package let resource: Resource
    /// How it differs.
    package let kind: Kind
    /// The adapter that it was written for, as far as that is known.
    package let adapter: String
    /// A setting that it follows; nil where none does any more.
    package let setting: SettingPath?

    /// Takes all of it.
    package init(resource: Resource, kind: Kind, adapter: String = "", setting: SettingPath? = nil) {
        self.resource = resource
        self.kind = kind
        self.adapter = adapter
        self.setting = setting
    }

    /// Whether it waits until somebody asks for it.
    package var isHeld: Bool { if case .held = kind { true } else { false } }
}
