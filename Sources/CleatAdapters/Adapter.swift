package import CleatSandbox
package import CleatSettings

/// Makes one part of the system follow the settings.
///
/// An adapter only declares the state that it wants, without reading the system; ``AdapterSet`` captures, applies and
/// restores. It wants something only for settings that a layer above the schema's default sets
/// (``LayeredSettings/inForce(_:)``).
package protocol Adapter: Sendable {
    /// The adapter's name, as reports print it: `sysctl`.
    var name: String { get }
    /// The settings that it follows: these paths and all below them.
    var prefixes: [SettingPath] { get }
    /// The files and links that it may write; no others are ever written for it.
    var files: [ManagedFileDeclaration] { get }
    /// The time limit for capturing, applying or restoring all of its resources.
    var timeLimit: Duration { get }

    /// Returns the desired state of the system; it reads nothing but the settings.
    func desired(_ settings: LayeredSettings) -> DesiredState

    /// Returns the reasons why the settings cannot be applied; it may read the system, and changes nothing.
    ///
    /// - Returns: the problems of ``desired(_:)``, and those that only the system shows.
    func check(_ settings: LayeredSettings, on system: SystemResources) -> [SettingProblem]

    /// Returns the value that the setting behind a resource would need to match the resource's present content.
    ///
    /// - Parameters:
    ///   - wanted: the resource, and the setting that it follows.
    ///   - content: the present content (``SystemResources/content(of:)``).
    /// - Returns: the setting's value as text; nil if it cannot be derived, since the resource depends on more than
    ///   that setting.
    func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String?

    /// Returns the settings that one of its resources is made of, so that a plan shows no secret.
    func sources(of resource: Resource) -> [SettingPath]

    /// Returns true if the system uses the schema's default of an unset setting; false if the setting is unmanaged.
    func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool

    /// Returns true if a member of group `cleat` may change a setting; false if only root and the service's own user
    /// may.
    func isForOperators(_ path: SettingPath) -> Bool

    /// Returns the actions after some of its resources have changed, in this order.
    ///
    /// - Parameter changed: resources that it wants now, or wanted before; never empty.
    /// - Returns: reloads and restarts, or that the board must be rebooted.
    func actions(changed: Set<Resource>) -> [AdapterAction]

    /// Returns the actions after some of its settings have changed, whether its resources changed or not.
    ///
    /// It is called for every adapter that follows one of the changed settings; a revert calls it with the settings
    /// swapped.
    ///
    /// - Parameters:
    ///   - old: the settings before the change.
    ///   - new: the settings after the change.
    ///   - changed: the adapter's resources that have changed; may be empty.
    /// - Returns: reloads and restarts; by default the result of ``actions(changed:)``.
    func actions(
        from old: LayeredSettings, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction]

    /// Returns the order in which its resources are restored, if that matters.
    ///
    /// - Parameter mementos: the captured states, in the order in which they are applied.
    /// - Returns: all of the resources in the order of their restoration; nil if any order will do.
    func wayBack(_ mementos: [Memento]) -> [Resource]?

    /// Returns the desired state while the change is on trial.
    ///
    /// Interfaces keep their former addresses, so that a client that uses an old address can still reach the board and
    /// confirm.
    ///
    /// - Parameters:
    ///   - settings: the settings with the change.
    ///   - kept: the addresses that each interface had before.
    /// - Returns: the state as without a trial, with the kept addresses.
    func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState

    /// Returns the interfaces whose addresses change.
    func readdressed(from old: LayeredSettings, to new: LayeredSettings) -> [String]

    /// Describes consequences of a change that neither files nor services show, for users who plan it.
    ///
    /// - Returns: lines such as `eth0: 192.0.2.1/24 -> 198.51.100.7/24`, with present values from the system.
    func effects(from old: LayeredSettings, to new: LayeredSettings, on system: SystemResources) -> [String]
}

/// Addresses that interfaces keep while a change is on trial, by the names of the interfaces.
package typealias KeptAddresses = [String: [InterfaceAddress]]

extension Adapter {
    /// Returns the same state as without a trial.
    package func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState {
        desired(settings)
    }
    /// Returns nil: any order will do.
    package func wayBack(_ mementos: [Memento]) -> [Resource]? { nil }
    /// Returns no interfaces.
    package func readdressed(from old: LayeredSettings, to new: LayeredSettings) -> [String] { [] }
    /// Returns no effects beyond those on files and services.
    package func effects(
        from old: LayeredSettings, to new: LayeredSettings, on system: SystemResources
    ) -> [String] { [] }
    /// No files.
    package var files: [ManagedFileDeclaration] { [] }
    /// Ten seconds: flushing to a slow card takes half a second at worst.
    package var timeLimit: Duration { .seconds(10) }
    /// Returns nil: no value can be derived.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? { nil }
    /// Returns all prefixes that the adapter follows.
    package func sources(of resource: Resource) -> [SettingPath] { prefixes }
    /// Returns false: unset settings are unmanaged.
    package func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool { false }
    /// Returns true for every setting.
    package func isForOperators(_ path: SettingPath) -> Bool { true }
    /// Returns no actions.
    package func actions(changed: Set<Resource>) -> [AdapterAction] { [] }
    /// Returns the actions for the changed resources; none if no resource has changed.
    package func actions(
        from old: LayeredSettings, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        changed.isEmpty ? [] : actions(changed: changed)
    }

    /// Returns only the problems that the settings themselves show.
    package func check(_ settings: LayeredSettings, on system: SystemResources) -> [SettingProblem] {
        desired(settings).problems
    }

    /// Returns true if the adapter follows a setting at this path, above it or below it.
    package func follows(_ path: SettingPath) -> Bool {
        prefixes.contains { $0.isPrefix(of: path) || path.isPrefix(of: $0) }
    }
}
