package import CleatSettings

/// The result of comparing the system with the settings: the changes to make, and the findings to report.
package struct Reconciliation: Sendable {
    /// The reason for a comparison.
    package enum Occasion: Hashable, Sendable {
        /// The kernel was booted, and has none of the settings.
        case boot
        /// The service was restarted, or reloads its files; outside edits are kept.
        case restart
        /// A status request; missing resources are reported, too.
        case inspect
        /// A request to bring these resources to their desired state, whatever has changed them.
        case repair(Set<Resource>)
    }

    /// A resource that already has its desired state, to be recorded.
    package struct Found: Equatable, Sendable {
        /// The resource.
        package let resource: Resource
        /// The adapter that manages the resource.
        package let adapter: String
        /// The fingerprint of the desired state.
        package let wanted: String
        /// The fingerprint of the present state.
        package let found: String
    }

    /// The resources to write or restore.
    package internal(set) var change = SystemChange()
    /// The resources that differ, and are kept as they are.
    package internal(set) var drift: [Drift] = []
    /// The resources with their desired state that are not recorded yet.
    package internal(set) var found: [Found] = []
    /// The records to delete: the resources are not wanted, and there is nothing to restore.
    package internal(set) var forgotten: [Resource] = []
    /// The reasons why settings cannot be applied; the other settings are applied.
    package internal(set) var problems: [SettingProblem] = []
}

/// The record of a resource that Cleat manages.
package struct KnownResource: Equatable, Sendable {
    /// The adapter that manages the resource.
    package var adapter: String
    /// The fingerprint of its desired state (``ResourceState/fingerprint``); nil if it was not recorded.
    package var wanted: String?
    /// The fingerprint of the resource right after it was written.
    ///
    /// It is empty during the write, and nil if it was not recorded.
    package var found: String?
    /// True if its state before Cleat changed it is known.
    package var hasOrigin: Bool

    /// Creates a record.
    package init(adapter: String, wanted: String? = nil, found: String? = nil, hasOrigin: Bool) {
        self.adapter = adapter
        self.wanted = wanted
        self.found = found
        self.hasOrigin = hasOrigin
    }
}

extension Reconciliation.Occasion {
    /// True at startup.
    package var isStartup: Bool { self == .boot || self == .restart }

    /// Returns true if a repair of this resource was requested.
    func repairs(_ resource: Resource) -> Bool {
        if case .repair(let chosen) = self { chosen.contains(resource) } else { false }
    }
}
