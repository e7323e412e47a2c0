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
    /// - Parameters:
    ///   - settings: the settings.
    ///   - desired: the desired state with them.
    ///   - system: the system.
    /// - Returns: the problems of ``desired(_:)``, and those that only the system shows.
    func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem]

    /// Returns the value that the setting behind a resource would need to match the resource's present content.
    ///
    /// - Parameters:
    ///   - wanted: the resource, and the setting that it follows.
    ///   - content: the present content (``SystemResources/content(of:)``).
    /// - Returns: the setting's value as text; nil if it cannot be derived, since the resource depends on more than
    ///   that setting.
    func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String?

    /// Returns the actions after some of its settings have changed, whether its resources changed or not.
    ///
    /// It is called for every adapter that follows one of the changed settings; a revert calls it with the settings
    /// swapped.
    ///
    /// - Parameters:
    ///   - old: the settings before the change; nil if they are not known, or do not differ: then only the actions that
    ///     reload the changed resources are returned.
    ///   - new: the settings after the change.
    ///   - changed: the adapter's resources that have changed, which it wants now or wanted before; empty only if the
    ///     settings before are known.
    /// - Returns: reloads and restarts, or that the board must be rebooted, in this order.
    func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction]
}

/// An adapter that computes its desired state faster from that with other settings.
package protocol IncrementalAdapter: Adapter {
    /// Returns the desired state; ``Adapter/desired(_:)`` returns an equal one.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - former: the desired state with former settings.
    ///   - changes: the settings that differ between the two.
    /// - Returns: the state.
    func desired(
        _ settings: LayeredSettings, from former: DesiredState, changing changes: [SettingPath]
    ) -> DesiredState
}

/// An adapter whose resources must be restored in an order of their own.
package protocol RestoreOrdering: Adapter {
    /// True if a change restores the resources that it releases before it applies the others.
    var releasesFirst: Bool { get }

    /// Returns the order in which its resources are restored.
    ///
    /// - Parameter mementos: the captured states, in the order in which they are applied.
    /// - Returns: all of the resources in the order of their restoration.
    func restoreOrder(_ mementos: [Memento]) -> [Resource]
}

/// An adapter for settings of which this board supports none or not all; unsupported ones are refused when they are
/// set.
package protocol PartialAdapter: Adapter {
    /// Returns the reason why a setting below ``Adapter/prefixes`` is not supported; nil if it is.
    ///
    /// The reason is the end of a sentence that begins with the path.
    func reasonNotToFollow(_ path: SettingPath) -> String?
}

/// An adapter whose resources are each made of only some of the settings that it follows.
package protocol ComposingAdapter: Adapter {
    /// Returns the settings that one of its resources is made of, so that a plan shows no secret.
    func sources(of resource: Resource) -> [SettingPath]
}

/// An adapter of files whose new contents are checked by programs before they are written.
package protocol CheckingAdapter: Adapter {
    /// Returns true if a program checks the contents of one of its files.
    func isChecked(_ resource: Resource) -> Bool
    /// Returns the program that checks a content of one of its files; nil if none does.
    ///
    /// - Parameters:
    ///   - resource: the file.
    ///   - place: the path of a file with the content.
    /// - Returns: the program, which succeeds if it accepts the content.
    func check(of resource: Resource, at place: String) -> ActionCommand?
}

/// An adapter of files that may keep clients from connecting, as a firewall's rules may.
package protocol DisconnectingAdapter: Adapter {
    /// Returns true if a change of one of its files may end connections, or keep clients from connecting.
    func mayDisconnect(_ resource: Resource) -> Bool
}

/// An adapter of settings that have an effect on the system while they are unset; those of others are unmanaged then.
package protocol DefaultingAdapter: Adapter {
    /// Returns true if the system uses the schema's default of an unset setting; false if the setting is unmanaged.
    func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool
}

/// An adapter of settings that not every operator may change.
package protocol RestrictedAdapter: Adapter {
    /// Returns true if a member of group `cleat` may change a setting; false if only root and the service's own user
    /// may.
    func isForOperators(_ path: SettingPath) -> Bool
}

extension Adapter {
    /// Returns the settings that one of its resources may be made of: all that it follows, unless it names them.
    package func knownSources(of resource: Resource) -> [SettingPath] {
        (self as? any ComposingAdapter)?.sources(of: resource) ?? prefixes
    }

    /// No files.
    package var files: [ManagedFileDeclaration] { [] }
    /// Ten seconds: flushing to a slow card takes half a second at worst.
    package var timeLimit: Duration { .seconds(10) }
    /// Returns nil: no value can be derived.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? { nil }
    /// Returns no actions.
    package func actions(
        from old: LayeredSettings?, to new: LayeredSettings, changed: Set<Resource>
    ) -> [AdapterAction] { [] }

    /// Returns only the problems that the settings themselves show.
    package func check(
        _ settings: LayeredSettings, _ desired: DesiredState, on system: SystemResources
    ) -> [SettingProblem] {
        desired.problems
    }

    /// Returns true if the adapter follows a setting at this path, above it or below it.
    package func follows(_ path: SettingPath) -> Bool {
        prefixes.contains { $0.isPrefix(of: path) || path.isPrefix(of: $0) }
    }
}
