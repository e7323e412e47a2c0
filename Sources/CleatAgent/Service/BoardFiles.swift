import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatSandbox
import CleatSettings
import CleatStore
import Logging
import Synchronization
import SystemPackage

/// The files of the board that the service reads and writes: its directories, its store, hooks, probes, schemas,
/// defaults, locks and file areas.
final class BoardFiles: Sendable {
    let paths: AgentPaths
    private let options: AgentOptions
    private let configuration: RunningConfiguration
    private let loop: EventLoop
    private let log: Logger
    private let loadedSources = Mutex(LoadedSources())
    private let obstacle = Mutex<String?>(nil)
    /// The counters of what is written.
    let writes: WriteLedger
    /// The programs that take part in changes.
    let programs: ProgramProcesses

    /// Creates the object; nothing is read yet.
    init(
        _ options: AgentOptions, _ paths: AgentPaths, _ configuration: RunningConfiguration, loop: EventLoop,
        log: Logger, logged: @escaping @Sendable () -> Int64
    ) {
        writes = WriteLedger(logged: logged)
        (self.options, self.paths, self.configuration, self.loop, self.log) = (options, paths, configuration, loop, log)
        programs = ProgramProcesses(socket: paths.socket.string, loop: loop, log: log)
    }

    /// The contents of schemas, defaults, factory data and locks.
    var sources: LoadedSources { loadedSources.withLock { $0 } }

    /// The policy that decides whose files are trusted.
    var policy: TrustPolicy { .current(root: paths.root?.string) }

    /// The clause that names the file system that the store waited for when the service started; nil if it was there.
    var missingMount: String? { obstacle.withLock { $0 } }

    /// Returns the clause that names a file system that the store needs and that is not mounted; nil if all are there.
    func findMissingMount() -> String? {
        // Below a root directory of its own, the board's mounts are not those of this machine. An ordinary user may have
        // the socket in the state directory.
        guard paths.root == nil, !paths.runtime.starts(with: paths.state) else { return nil }
        let state = RequiredMounts.withoutLinks(paths.state)
        let table = try? SmallFile.text("/etc/fstab", limit: 1 << 20)
        let mounts = { [log] () -> MountTable? in
            do {
                return try MountTable.read()
            } catch {
                log.warning("\(MountTable.path) cannot be read (\(error)), so no mount is waited for")
                return nil
            }
        }
        return configuration.current.requiredMounts.obstacle(for: state, mounts, table: table)
    }

    /// Creates the directories of the service, and refuses those whose contents other users could replace.
    ///
    /// The state directory is not made while its file system is not mounted; one that cannot be made is reported when
    /// the store is opened.
    func makeDirectories() throws {
        let missing = findMissingMount()
        obstacle.withLock { $0 = missing }
        if let root = paths.root {
            // A mistyped root must not become a system of its own.
            guard FileMoves.isDirectory(root) else {
                throw FileError(
                    description: "--root \(root): there is no such directory; make it with mkdir, or name another one")
            }
            try refuseLinks(below: root)
        }
        let socketDirectory = paths.socket.removingLastComponent()
        var directory = paths.state
        do throws(Errno) {
            if missing == nil {
                do throws(Errno) {
                    // A link may lead to a directory that a fresh file system does not have yet.
                    let place = paths.root == nil ? RequiredMounts.withoutLinks(directory) : directory
                    try FileMoves.makeDirectories(place, mode: 0o700)
                } catch .readOnlyFileSystem {
                    // The store's fallback reports it.
                }
            }
            for next in [paths.runtime, socketDirectory] {
                directory = next
                try FileMoves.makeDirectories(directory, mode: 0o755)
            }
        } catch {
            throw FileError(
                description:
                    "cannot make the directory \(directory): \(error); name others with --state and --runtime")
        }
        for (directory, sticky) in [(paths.state, false), (paths.runtime, false), (socketDirectory, true)] {
            guard let reason = FileMoves.distrust(directory, sticky: sticky) else { continue }
            throw FileError(
                description:
                    "\(directory) \(reason), who could replace its contents; give it to this user with chown and chmod "
                    + "0755, or name another one")
        }
    }

    /// Refuses symbolic links at the paths that the service writes to: an absolute link in an image leads to the
    /// machine that the image is configured on.
    private func refuseLinks(below root: FilePath) throws(FileError) {
        for path in [paths.state, paths.runtime, paths.config, paths.socket] {
            guard let link = FileMoves.link(below: root, on: path) else { continue }
            throw FileError(
                description:
                    "\(link) is a symbolic link, which could lead out of \(root); name the directory that is meant "
                    + "with --state, --runtime or --config")
        }
        let store = paths.state.appending("settings.db")
        let files = [store, FilePath("\(store)-wal"), paths.configurationFile]
        for path in files + Area.allCases.map({ paths.files.appending($0.rawValue) }) {
            guard let link = FileMoves.link(below: root, on: path) else { continue }
            throw FileError(
                description:
                    "\(link) is a symbolic link, which could lead out of \(root); replace it by what it points to"
            )
        }
    }

    /// Reads the hook files; an invalid one is logged, and the others stay in force.
    func loadHooks() async -> HookSet {
        guard options.runsHooks else { return HookSet() }
        let hooks = await HookSet.load(
            directories: paths.hookDirectories.map(\.string), policy: policy, on: loop)
        for problem in hooks.problems { log.error("\(problem.text); the other hooks stay in force") }
        return hooks
    }

    /// Reads the probe files, commands that check the board's health; an invalid one is logged, and the others stay in
    /// force.
    func loadProbes() -> ProbeSet {
        let probes = ProbeSet.load(directories: paths.directories("probes.d").map(\.string), policy: policy)
        for problem in probes.problems { log.error("\(problem.text); the other probes stay in force") }
        return probes
    }

    /// Opens the file areas; the service runs without those that cannot be opened.
    func openAreas(_ worker: Worker) -> FileAreas {
        let directory = paths.files
        let obstacle = obstacle(to: directory)
        do {
            if obstacle == nil { try FileMoves.makeDirectories(directory, mode: 0o750) }
        } catch {
            // Each area reports its own obstacle.
            log.error("cannot make the directory \(directory): \(error)")
        }
        let files = FileAreas(
            directory: directory, obstacle: obstacle, quotas: configuration.current.quotas, counter: writes.files,
            worker: worker)
        // The note on the store reports that none is there.
        guard missingMount == nil else { return files }
        for problem in files.problems { log.error("\(problem.message) The other areas are served.") }
        return files
    }

    /// Removes the in-memory fallback of the store, if there was one.
    func removeFallback() {
        let place = paths.runtime.appending("store")
        for name in (try? DirectoryNames.list(place.string)) ?? [] {
            FilePath.Component(name).map { FileMoves.remove(place.appending($0)) }
        }
    }

    private func obstacle(to directory: FilePath) -> SandboxError? {
        if let missingMount {
            return SandboxError(
                .notFound, "open", area: nil, path: directory.string,
                detail: "\(missingMount); mount it, and the service opens them")
        }
        return FileMoves.link(below: paths.state, on: directory).map { link in
            SandboxError(
                .symbolicLink, "open", area: nil, path: directory.string,
                detail:
                    "\(link) is a symbolic link, which is not followed there; put a directory in its place, or mount one on "
                    + "it, then start the service again")
        }
    }

    /// Opens the store; if the storage fails, a copy in memory that takes no changes: an operator who maintains a board
    /// remotely needs an answering agent most when its storage is failing.
    ///
    /// - Parameters:
    ///   - thread: The store's thread.
    ///   - bootID: The id of this boot.
    ///   - defersCheck: True if the check of what a start does not read may follow later.
    /// - Returns: The store, or the copy.
    /// - Throws: A failure to open the store that needs an operator: a second instance, access, a file of another
    ///   release.
    func openStore(
        on thread: ThreadExecutor, bootID: String, defersCheck: Bool
    ) async throws(StoreError) -> SettingsStore {
        do throws(StoreError) {
            if let missingMount { throw StoreError.notMounted(paths.state, because: missingMount) }
            return try await SettingsStore.open(
                directory: paths.state, executor: thread, stamp: .now(bootID: bootID), defersCheck: defersCheck)
        } catch {
            guard error.isOfStorage || error.code == .notMounted else { throw error }
            do throws(StoreError) {
                return try await SettingsStore.fallback(
                    for: paths.state, in: paths.runtime.appending("store"), because: error, executor: thread,
                    stamp: .now(bootID: bootID))
            } catch let other {
                log.error("the in-memory fallback of the settings cannot be made either: \(other)")
                throw error
            }
        }
    }

    // MARK: Sources

    /// Reads schemas, defaults, factory data and locks, keeps them as ``sources``, and logs the findings in them.
    func loadSources() { keep(loader.load()) }

    /// Reads them again, on a worker's thread.
    ///
    /// - Returns: The contents; nil if they cannot be read, in which case the former ones stay.
    func reloadSources(on worker: Worker) async -> LoadedSources? {
        let (loader, former) = (loader, sources)
        do {
            keep(try await worker.run { loader.load(after: former) })
        } catch {
            log.error(
                "the schemas, defaults and locks cannot be reloaded: \(error); the former settings stay in force")
            return nil
        }
        return sources
    }

    /// Returns the adapters of the rules of schemas, and of programs.
    func adapters(of sources: LoadedSources) -> [any Adapter] {
        sources.templates + programs.adapters(sources.programFiles, schema: sources.sources.schema, policy: policy)
    }

    private var loader: SourceLoader {
        SourceLoader(paths: paths, factory: configuration.current.factory, policy: policy)
    }

    /// Keeps the loaded files, and logs the findings in them.
    private func keep(_ loaded: LoadedSources) {
        loadedSources.withLock { $0 = loaded }
        for finding in loaded.findings {
            let place = finding.line.map { ":\($0):\(finding.column ?? 1)" } ?? ""
            log.error("\(finding.subject)\(place): \(finding.message); \(finding.remedy)")
        }
    }
}

extension HookProblem {
    /// The file, the position in it, and the problem there.
    var text: String { "\(file)\(line.map { ":\($0):\(column ?? 1)" } ?? ""): \(message)" }
}
