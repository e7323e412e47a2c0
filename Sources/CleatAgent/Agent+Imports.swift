import CleatIO
import CleatObservers
import Synchronization

extension Agent {
    /// Creates the importer, which applies files with settings that arrive in the inbox by the rules in force at that
    /// time.
    func makeImporter(_ engine: SettingsEngine, _ bus: EventBus, _ files: FileAreas, _ inbox: InboxObserver)
        -> BundleImporter
    {
        BundleImporter(engine: engine, bus: bus, files: files, log: log, inbox: inbox) { [self] in
            state.withLock { $0.configuration.imports }
        }
    }
}
