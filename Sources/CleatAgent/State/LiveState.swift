import CleatAPI
import CleatAdapters
import CleatIO
import CleatObservers
import CleatSettings
import CleatStore

/// The state that the parts of the engine share; it never leaves the engine's executor.
final class LiveState {
    /// The services outside of the engine.
    let services: EngineServices
    /// The settings in force.
    var state: SettingsState {
        didSet {
            health = nil
            revision &+= 1
        }
    }
    /// The applier, which applies the settings to the system.
    var applier: SystemApplier { didSet { revision &+= 1 } }
    /// The resources that were ever touched and not released.
    let resources: KnownResources
    /// The change that is being applied to the system, or on trial.
    var transaction: RunningTransaction? { didSet { revision &+= 1 } }
    /// The number of changes of all that answers about settings depend on.
    private(set) var revision: UInt64 = 0
    /// The watchers of settings.
    var watchers = WatcherRegistry()
    /// The reason why the store did not take the last change; nil if it did.
    var storeFailure: String?
    /// The failure of the store's check after the start; nil if there is none.
    var checkFailure: String?
    /// The findings for the present settings; nil if they changed since the last examination.
    private var health: SettingsHealth?

    init(services: EngineServices, state: SettingsState, applier: SystemApplier) {
        self.services = services
        self.state = state
        self.applier = applier
        resources = KnownResources(in: services.store)
    }

    /// Examines the settings if they have changed since the last time, else returns the former result.
    func health(_ examine: (LayeredSettings) -> SettingsHealth) -> SettingsHealth {
        if let health { return health }
        let found = examine(state.settings)
        health = found
        return found
    }

    /// The number of events of one commit that are published before other tasks can run.
    private static let eventsPerTurn = 64

    /// Notifies watchers of a change that is in force, and emits an event for each setting.
    ///
    /// - Parameters:
    ///   - effects: The changed values.
    ///   - author: The user who made the change.
    ///   - cause: The hooks that caused it; nil if none did.
    func publish(_ effects: SettingsEffects, author: String, cause: String?) async {
        if !effects.isEmpty { watchers.notify(effects.touched) }
        services.onCommit(state.settings)
        let instant = services.bus.now
        for (index, difference) in effects.differences.enumerated() {
            // Other tasks can run while a large commit is published; the next commit does not start meanwhile.
            if index % Self.eventsPerTurn == Self.eventsPerTurn - 1 { await services.loop.yield() }
            services.bus.publish(
                EventDraft(
                    source: .setting, action: difference.new == nil ? "unset" : "set", subject: difference.path.text,
                    properties: .setting(
                        difference, generation: state.reference.generation, author: author, in: state.settings),
                    cause: cause), at: instant)
        }
    }

    /// Replaces the volatile state's file.
    ///
    /// - Throws: `APIError` if it cannot be written; `CancellationError`.
    func save(_ volatile: VolatileState) async throws {
        do {
            try await services.volatileFile.save(volatile)
        } catch let error as CancellationError {
            throw error
        } catch {
            throw APIError.storeFailed(code: "volatile", message: "\(error); nothing was changed")
        }
    }

    /// Remembers a failure of the storage for `doctor`; errors about a request alone are for the caller.
    func note(storeFailure error: StoreError) {
        switch error.code {
        case .diskFull, .readOnly, .notMounted, .accessDenied, .tooManyFiles, .inputOutput, .outOfMemory, .corrupt,
            .damaged:
            storeFailure = error.description.withoutFullStop
        default: break
        }
    }
}

/// A part of the engine: it works on the state that all parts share.
protocol EnginePart {
    /// The shared state.
    var live: LiveState { get }
}

extension EnginePart {
    /// The settings in force.
    var settings: LayeredSettings { live.state.settings }
    /// The generation of the settings.
    var reference: GenerationRef { live.state.reference }
    /// The applier, which applies the settings to the system.
    var applier: SystemApplier { live.applier }
    /// The change that is being applied to the system, or on trial.
    var transaction: RunningTransaction? { live.transaction }
    /// The resources that were ever touched and not released.
    var resources: KnownResources { live.resources }
    /// The store that commits go to.
    var store: SettingsStore { live.services.store }
    /// The event loop that the engine runs on.
    var loop: EventLoop { live.services.loop }
    /// The journal, which gets one line for each change of the board.
    var journal: ChangeJournal { live.services.journal }

    /// Returns the time of a generation that is written now.
    func stamp() -> CommitStamp { .now(bootID: live.services.bootID) }

    /// Refuses a change while another one is on trial.
    func requireNoTrial() throws(APIError) {
        if let transaction { throw transaction.refusal(live.services.now()) }
    }

    /// Throws if the store is a copy in memory, in which case the system must not be changed.
    func requireChangeable() async throws {
        do {
            try await store.requireChangeable()
        } catch {
            throw APIError(error)
        }
    }
}

/// The part of `status` that is about settings with problems.
struct SettingsHealth: Sendable {
    /// The maximum number of paths that are listed.
    static let inactiveLimit = 256

    /// The number of findings.
    var findings: Int
    /// The paths of committed values that are not in force, sorted, up to the limit.
    var inactive: [String]
}
