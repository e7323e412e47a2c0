import CleatIO
import CleatObservers
import Synchronization

extension Agent {
    /// Makes what applies files with settings that arrive in the inbox, by the rules that hold at each time.
    func makeImporter(_ engine: SettingsEngine, _ bus: EventBus, _ files: FileAreas, _ inbox: InboxObserver)
        -> BundleImporter
    {
        BundleImporter(engine: engine, bus: bus, files: files, log: log, inbox: inbox) { [self] in
            state.withLock { $0.configuration.imports }
        }
    }
}
