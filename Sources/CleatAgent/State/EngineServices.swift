import CleatHooks
import CleatIO
import CleatObservers
import CleatSettings
import CleatStore

/// The services outside of the engine that its parts use.
struct EngineServices: Sendable {
    /// The event loop that the engine runs on.
    let loop: EventLoop
    /// The store that commits go to.
    let store: SettingsStore
    /// True if the store is an in-memory fallback, which takes no changes.
    let isFallback: Bool
    /// True if neither the settings nor their second copy could be read.
    let isFailsafe: Bool
    /// The bus that changes are published on.
    let bus: EventBus
    /// The runner that checks probes.
    let prober: ProbeRunner
    /// The file that volatile changes go to.
    let volatileFile: VolatileFile
    /// The journal, which gets one line for each change of the board.
    let journal: ChangeJournal
    /// Reads the clock of confirm windows and retries.
    let now: @Sendable () -> BootTime
    /// Waits between two rounds of probe checks.
    let pause: @Sendable (Duration) async throws -> Void
    /// Called with the settings after each change.
    let onCommit: @Sendable (LayeredSettings) -> Void

    /// The id of this boot.
    var bootID: String { bus.bootID }
}
