package import CleatSandbox
package import CleatSettings

/// Makes one part of the system follow the settings.
///
/// An adapter only says, without looking at the system, what it wants: ``AdapterSet`` captures, applies and brings back.
/// It wants something only for settings that a layer above the schema's default has (``LayeredSettings/inForce(_:)``).
package protocol Adapter: Sendable {
    /// Its name, as reports have it: `sysctl`.
    var name: String { get }
    /// The settings that it follows: these paths and all below them.
    var prefixes: [SettingPath] { get }
    /// The files and links that it may want; no others are ever written for it.
    var files: [ManagedFileDeclaration] { get }
    /// How long capturing, applying or bringing back all of its resources may take.
    var timeLimit: Duration { get }

    /// Says what it wants of the system; it reads nothing but the settings.
    func desired(_ settings: LayeredSettings) -> DesiredState

    /// Says why the settings cannot be followed; it may look at the system, and changes nothing.
    ///
    /// - Returns: the problems of ``desired(_:)``, and those that only the system shows.
    func check(_ settings: LayeredSettings, on system: SystemResources) -> [SettingProblem]

    /// Says what the setting behind a resource would be for the resource to be what it is now.
    ///
    /// - Parameters:
    ///   - wanted: the resource, and the setting that it follows.
    ///   - content: what it holds (``SystemResources/content(of:)``).
    /// - Returns: the setting's value as text; nil where it cannot be told, since the resource is made of more than that
    ///   setting.
    func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String?

    /// The settings that a resource of it is made of, for a plan that must show no secret.
    func sources(of resource: Resource) -> [SettingPath]

    /// Whether the schema's default of a setting that it follows, and that nobody has set, is what the system has: else it
    /// is left to the system.
    func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool

    /// Whether a member of group `cleat` may change a setting that it follows; else only root and the service's own user.
    func isForOperators(_ path: SettingPath) -> Bool

    /// Says what is to be done after some of its resources have changed, in this order.
    ///
    /// - Parameter changed: resources that it wants now, or wanted before; never empty.
    /// - Returns: reloads and restarts, or that the board must be rebooted.
    func actions(changed: Set<Resource>) -> [AdapterAction]

    /// Says what is to be done after some of the settings that it follows have changed, its resources or not.
    ///
    /// Whoever applies a change asks this one, for every adapter that follows one of the changed settings; a revert asks
    /// it with the settings the other way round.
    ///
    /// - Parameters:
    ///   - old: the settings before.
    ///   - new: the settings now.
    ///   - changed: resources of it that have changed; may be empty.
    /// - Returns: as ``actions(changed:)``, which is what is returned where this is not declared.
    func actions(
        from old: LayeredSettings, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction]

    /// Says in what order resources of it are brought back, where that matters.
    ///
    /// - Parameter mementos: what they were, in the order in which they are applied.
    /// - Returns: all of them in the order in which they are brought back; nil where each order will do.
    func wayBack(_ mementos: [Memento]) -> [Resource]?

    /// Says what it wants while the change is on trial: that interfaces keep addresses that they had before, so that whoever
    /// knows the board by its old address can still reach and confirm it.
    ///
    /// - Parameters:
    ///   - settings: the settings with the change.
    ///   - kept: the addresses that each interface had before.
    /// - Returns: as without a trial, and what is kept.
    func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState

    /// Says which interfaces get other addresses.
    func readdressed(from old: LayeredSettings, to new: LayeredSettings) -> [String]

    /// Describes the consequences of a change that neither files nor services show, for people who plan it.
    ///
    /// - Returns: lines such as `eth0: 192.0.2.1/24 -> 198.51.100.7/24`, with present values from the system.
    func effects(from old: LayeredSettings, to new: LayeredSettings, on system: SystemResources) -> [String]
}

/// Addresses that interfaces keep while a change is on trial, by the names of the interfaces.
package typealias KeptAddresses = [String: [InterfaceAddress]]

extension Adapter {
    /// The same as without a trial.
    package func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState {
        desired(settings)
    }
    /// Each order will do.
    package func wayBack(_ mementos: [Memento]) -> [Resource]? { nil }
    /// None.
    package func readdressed(from old: LayeredSettings, to new: LayeredSettings) -> [String] { [] }
    /// Nothing more than files and services show.
    package func effects(
        from old: LayeredSettings, to new: LayeredSettings, on system: SystemResources
    ) -> [String] { [] }
    /// No files.
    package var files: [ManagedFileDeclaration] { [] }
    /// Ten seconds: a flush on a slow card takes half a second at worst.
    package var timeLimit: Duration { .seconds(10) }
    /// It cannot be told.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? { nil }
    /// All that it follows.
    package func sources(of resource: Resource) -> [SettingPath] { prefixes }
    /// It leaves alone what nobody has set.
    package func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool { false }
    /// Every setting.
    package func isForOperators(_ path: SettingPath) -> Bool { true }
    /// Nothing is to be done.
    package func actions(changed: Set<Resource>) -> [AdapterAction] { [] }
    /// What changed resources ask for; without one, nothing.
    package func actions(
        from old: LayeredSettings, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] {
        changed.isEmpty ? [] : actions(changed: changed)
    }

    /// Only what the settings themselves say.
    package func check(_ settings: LayeredSettings, on system: SystemResources) -> [SettingProblem] {
        desired(settings).problems
    }

    /// Whether it follows a setting at this path, above it or below it.
    package func follows(_ path: SettingPath) -> Bool {
        prefixes.contains { $0.isPrefix(of: path) || path.isPrefix(of: $0) }
    }
}
