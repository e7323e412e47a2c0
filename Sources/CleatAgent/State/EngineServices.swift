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
    /// The report of the store's opening.
    let opening: StoreOpening
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

    /// True if the store is an in-memory fallback, which takes no changes.
    var isFallback: Bool { opening.fallback != nil }
    /// True if neither the settings nor their second copy could be read.
    var isFailsafe: Bool { opening.isFailsafe }
    /// True if the store is not mounted, so that the settings of the system are not known.
    var awaitsMount: Bool { opening.fallback?.awaitsMount == true }

    /// The id of this boot.
    var bootID: String { bus.bootID }
}
