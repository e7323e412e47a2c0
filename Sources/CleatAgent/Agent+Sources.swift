import CleatAPI
import CleatAdapters
import CleatIO
import CleatSandbox
import CleatSettings
import Logging

extension Agent {
    /// Reads the board's files again, on the worker's thread, and applies them to the settings.
    func reloadSources(_ engine: SettingsEngine) async {
        let loader = sourceLoader()
        let former = loadedSources
        let loaded: LoadedSources
        do {
            loaded = try await worker.run { loader.load(after: former) }
        } catch {
            log.error("the schemas, defaults and locks cannot be read again: \(error); what held before still holds")
            return
        }
        keep(loaded)
        await engine.follow(loaded.sources, adapters: loaded.adapters, isComplete: loaded.isComplete)
        tellStanding(await engine.standing)
        tellInactive(await engine.settings)
    }

    /// The note that is logged if neither the settings nor their second copy could be read.
    static let failsafeNote =
        "The service runs on its failsafe configuration: nothing is set, the vendor's defaults are in force, and the "
        + "system is left as it was found until something is set or the service is restarted. Set what the board needs, "
        + "or stop the service and restore one of the quarantined files."

    /// Reconciles the system with the settings, before clients are served.
    func uphold(_ engine: SettingsEngine, bootID: String, leavesFiles: Bool) async {
        let mark = BootMark(directory: paths.runtime, bootID: bootID)
        // Below a root directory there is no kernel that could have been restarted.
        let isBoot = paths.root == nil && !mark.isThere
        await engine.uphold(isBoot ? .boot : .restart, isComplete: loadedSources.isComplete, leavesFiles: leavesFiles)
        if isBoot {
            do {
                try mark.put()
            } catch {
                log.warning("the next start of the service will take itself for the first one of this boot: \(error)")
            }
        }
        tellStanding(await engine.standing)
    }

    /// Logs the failures and the drift of the system.
    private func tellStanding(_ standing: SystemStanding) {
        for failure in standing.failures { log.error("\(failure.message)") }
        for drift in standing.drift { log.warning("\(drift.sentence); see 'cleat drift'") }
    }

    /// Creates the follower, which applies the settings to the system, below the root directory if there is one.
    ///
    /// Parts of the system that cannot be inspected are logged; their settings are not followed.
    ///
    /// - Parameters:
    ///   - loaded: The contents of the board's files.
    ///   - documents: The area `documents`.
    ///   - touched: The resources that the store knows: they may have to be restored, whatever the files contain today.
    /// - Returns: The follower.
    /// - Throws: The reason why the root directory could not be opened.
    func makeFollower(
        _ loaded: LoadedSources, documents: SandboxedDirectory?, keeping touched: [String]
    ) throws -> SystemFollower {
        let system = try SystemResources(root: paths.root, documents: documents)
        let follower = SystemFollower(
            of: system, rules: loaded.adapters, loop: loop, worker: worker,
            keeping: touched.compactMap(Resource.init(text:)))
        for failure in follower.failures { log.error("\(failure) The settings that go by it are not followed.") }
        return follower
    }

    /// Removes the temporary files that interrupted writes have left next to the files of the system.
    func sweep(_ follower: SystemFollower) async {
        do {
            let count = try await follower.sweep()
            if count > 0 { log.notice("took away \(count) temporary files of writes that were cut off") }
        } catch {
            log.warning("temporary files of writes that were cut off may be left: \(error)")
        }
    }

    /// Creates a loader for the board's files, by the present configuration.
    func sourceLoader() -> SourceLoader {
        SourceLoader(paths: paths, factory: factoryFile, policy: policy)
    }

    /// Keeps the loaded files, and logs the findings in them.
    func keep(_ loaded: LoadedSources) {
        remember(loaded)
        for finding in loaded.findings {
            let place = finding.line.map { ":\($0):\(finding.column ?? 1)" } ?? ""
            log.error("\(finding.subject)\(place): \(finding.message); \(finding.remedy)")
        }
    }

    /// Logs the stored values that are not in force, up to a limit.
    func tellInactive(_ settings: LayeredSettings) {
        let inactive = settings.inactive.sorted { $0.key < $1.key }
        for (path, problem) in inactive.prefix(Self.inactiveTold) {
            log.warning("the stored value of \(path) is not in force: it \(problem.reason)")
        }
        if inactive.count > Self.inactiveTold {
            log.warning("\(inactive.count - Self.inactiveTold) more stored values are not in force; see 'cleat doctor'")
        }
    }

    /// The maximum number of stored values that are not in force and are logged one by one.
    private static let inactiveTold = 32
}
