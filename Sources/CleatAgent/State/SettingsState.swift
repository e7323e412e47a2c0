import CleatAPI
import CleatSettings
import CleatStore

/// The settings in force, as a value: a change replaces it by another one.
struct SettingsState: Sendable {
    /// The settings in force.
    var settings: LayeredSettings
    /// The generation of the settings.
    var reference: GenerationRef
    /// The values that apply until the next boot, and their origins.
    var volatile: VolatileState
    /// The number of times that the board's files have been read again.
    var sourcesRevision = 0

    /// Returns the state in which the rows of the committed layer are changed, and the effects of that.
    ///
    /// - Parameters:
    ///   - changes: The rows that a generation changes.
    ///   - generation: That generation.
    /// - Returns: The state, and the changed values.
    func changingStored(
        _ changes: [SettingDifference], to generation: GenerationRef
    ) -> (state: SettingsState, effects: SettingsEffects) {
        var state = self
        state.settings = settings.changingStored(changes)
        state.reference = generation
        return (state, SettingsEffects(of: changes, before: settings, after: state.settings))
    }

    /// Returns the state in which a change is no longer in force, though no generation records that yet.
    func reverting(_ changes: [SettingDifference]) -> SettingsState {
        var state = self
        state.settings = settings.changingStored(
            changes.map { SettingDifference(path: $0.path, old: $0.new, new: $0.old) })
        return state
    }

    /// Separates the paths that no schema knows any more from differences that restore earlier settings: their values
    /// cannot be validated, so they stay as they are.
    ///
    /// - Parameter differences: The differences that restore earlier settings, under the present names.
    /// - Returns: The differences of known paths, and the unknown paths.
    func separatingUnknown(
        _ differences: [SettingDifference]
    ) -> (known: [SettingDifference], unknown: [SettingPath]) {
        let unknown = Set(differences.map(\.path).filter { settings.schema.lookup($0) == nil })
        guard !unknown.isEmpty else { return (differences, []) }
        return (
            differences.filter { !unknown.contains($0.path) },
            differences.map(\.path).filter { unknown.contains($0) }
        )
    }
}
