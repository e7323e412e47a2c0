import CleatStore
import Logging
import SystemPackage

extension Agent {
    /// Opens the store; if the storage fails, a copy in memory that takes no changes: an operator who maintains a board
    /// remotely needs an answering agent most when its storage is failing.
    ///
    /// - Throws: A failure to open the store that needs an operator: a second instance, access, a file of another
    ///   release.
    func openStore(bootID: String) async throws(StoreError) -> SettingsStore {
        do throws(StoreError) {
            return try await SettingsStore.open(
                directory: paths.state, executor: storeThread, stamp: .now(bootID: bootID))
        } catch {
            guard error.isOfStorage else { throw error }
            do throws(StoreError) {
                return try await SettingsStore.standIn(
                    for: paths.state, in: paths.runtime.appending("store"), because: error, executor: storeThread,
                    stamp: .now(bootID: bootID))
            } catch let other {
                log.error("there can be no copy of the settings in memory either: \(other)")
                throw error
            }
        }
    }
}
