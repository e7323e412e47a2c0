import CleatAPI
import CleatAdapters
package import CleatHooks
package import CleatIO
import CleatJSON
package import CleatObservers
import CleatSandbox
package import CleatSettings
package import CleatStore
package import Logging

/// Holds the settings in memory, answers queries, and commits one change set after the other to the store.
///
/// Reads never wait for a commit: while one is being written to the disk, they see the generation before.
package actor SettingsEngine {
    /// The maximum number of settings in one reply of a listing.
    static let pageSize = 256

    nonisolated let loop: EventLoop
    let store: SettingsStore
    let bus: EventBus
    let bootID: String
    let onCommit: @Sendable (LayeredSettings) -> Void
    let journal: ChangeJournal
    let volatileFile: VolatileFile
    /// The settings in force.
    var settings: LayeredSettings {
        didSet { health = nil }
    }
    /// The number of times that the board's files have been read again.
    var sourcesRevision = 0
    /// The generation of the settings.
    var reference: GenerationRef
    /// The follower, which applies the settings to the system.
    var follower: SystemFollower
    /// The values that apply until the next boot, and their origins.
    var volatileState: VolatileState
    /// The runner that checks probes.
    nonisolated let prober: ProbeRunner
    /// The callers that wait for the end of a change on trial.
    var endings: [TrialEnding] = []
    /// The change that is being applied to the system, or on trial.
    var transaction: RunningTransaction?
    /// True if files are not written, since the settings may be older than they.
    var leavesFiles = false
    /// The sync status of the system, as far as it was checked.
    var standing = SystemStanding()
    /// The task that runs the programs that reload what was written at startup.
    var startActions: Task<Void, Never>?
    /// The task that retries failed actions.
    var leftoverTask: Task<Void, Never>?
    /// The interfaces that settings name and that were missing at startup.
    var awaitedInterfaces: Set<String> = []
    /// True if all of the board's files could be read.
    var areSourcesComplete = true
    /// The reason why the store did not take the last change; nil if it did.
    var storeFailure: String?
    /// True if the system has been compared with the settings since startup.
    var isUpheld = false
    private(set) var watchers: [ObjectIdentifier: SettingsWatcher] = [:]
    /// The findings for the present settings; nil if they changed since the last examination.
    private var health: SettingsHealth?
    private(set) var isWriting = false
    private var writersWaiting: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates an engine from the state that a store holds.
    ///
    /// - Parameters:
    ///   - loop: The event loop that the engine runs on.
    ///   - store: The store that commits go to.
    ///   - state: The contents of the store when it was opened.
    ///   - sources: The contents of the board's files: schemas, defaults, factory data, locks.
    ///   - volatile: The file that volatile changes go to, and the state that was read from it.
    ///   - follower: The follower, which applies the settings to the system.
    ///   - prober: The runner that checks probes.
    ///   - bus: The bus that changes are published on.
    ///   - log: The log that gets one line for each change of the board; nil for none.
    ///   - onCommit: Called with the settings after each change.
    package init(
        loop: EventLoop, store: SettingsStore, state: StoredState, sources: SettingsSources,
        volatile: (file: VolatileFile, state: VolatileState), follower: SystemFollower,
        prober: ProbeRunner, bus: EventBus, log: Logger? = nil,
        onCommit: @escaping @Sendable (LayeredSettings) -> Void
    ) {
        self.loop = loop
        self.store = store
        self.bus = bus
        self.follower = follower
        self.prober = prober
        self.onCommit = onCommit
        journal = ChangeJournal(log)
        bootID = bus.bootID
        settings = LayeredSettings(
            sources: sources, committed: SettingsTree(state.settings.lazy.map { ($0.path, $0.value) }),
            volatile: volatile.state.settings)
        volatileFile = volatile.file
        volatileState = volatile.state
        reference = state.generation
    }

    // MARK: Reading

    /// The schema in force, and a number that changes whenever the schema does.
    var schemaInForce: (schema: Schema, revision: Int) { (settings.schema, sourcesRevision) }

    /// Examines the settings if they have changed since the last time, else returns the former result.
    func health(_ examine: @Sendable (LayeredSettings) -> SettingsHealth) -> SettingsHealth {
        if let health { return health }
        let found = examine(settings)
        health = found
        return found
    }

    /// Returns the value of one path; secrets are omitted unless they are to be revealed.
    ///
    /// - Parameters:
    ///   - path: A setting or a group.
    ///   - reveal: True if secrets are included.
    ///   - isDefault: True if the schema's default is requested, whatever is set.
    /// - Returns: The value; none if it is left to the system.
    /// - Throws: `APIError` for an unknown path, and for values that do not fit into one reply.
    func get(
        _ path: SettingPath, reveal: Bool = false, default isDefault: Bool = false
    ) throws(APIError) -> SettingsInterface.Get.Reply {
        guard let setting = settings.value(at: path) else { throw unknown(path) }
        if isDefault {
            var info = info(setting, reveal: reveal)
            let value = settings.schema.lookup(path)?.defaultValue
            (info.value, info.origin, info.pending) = (info.secret == true ? nil : value, .schemaDefault, nil)
            info.withDefaults = nil
            info.inForce = setting.origin == .schemaDefault && info.inForce
            return SettingsInterface.Get.Reply(
                store: reference.store, generation: reference.generation, leaf: setting.isSetting, setting: info)
        }
        guard setting.weight <= Self.valueBytes else {
            throw .storeFailed(
                code: "too_large",
                message:
                    "what stands under \(path) is more than one answer holds; page through it with List ('cleat list')")
        }
        let info = self.info(setting, reveal: reveal)
        return SettingsInterface.Get.Reply(
            store: reference.store, generation: reference.generation, leaf: setting.isSetting, setting: info,
            note: setting.origin == .schemaDefault ? settings.missingEntry(of: path)?.description : nil)
    }

    /// Describes the value of a path, with the change on trial that set it.
    func info(_ setting: ResolvedSetting, reveal: Bool = false) -> SettingInfo {
        var info = SettingInfo(setting, reveal: reveal)
        info.pending = trial(of: setting.path)?.id
        tellDefaults(in: &info, of: setting, settings, reveal: reveal)
        return info
    }

    /// Omits a default from a description unless it is in force, and the secrets of a group unless they are revealed.
    func tellDefaults(
        in info: inout SettingInfo, of setting: ResolvedSetting, _ settings: LayeredSettings, reveal: Bool
    ) {
        func isLeftToTheSystem(_ setting: ResolvedSetting) -> Bool {
            setting.origin == .schemaDefault && !follower.adapters.isDefaultInForce(at: setting.path, settings)
        }
        if !setting.isSetting {
            var isPartial = false
            info.value = settings.value(at: setting.path) { one in
                guard reveal || !one.isSecret else { return false }
                let isLeft = isLeftToTheSystem(one)
                isPartial = isPartial || isLeft
                return !isLeft
            }
            if isPartial { info.withDefaults = settings.value(at: setting.path) { reveal || !$0.isSecret } }
        } else if isLeftToTheSystem(setting) {
            (info.value, info.withDefaults) = (nil, info.value)
        } else if setting.origin == .schemaDefault, setting.inactive == nil {
            info.inForce = setting.value != nil
        }
    }

    /// Returns the change on trial that set the value of a path; nil if there is none.
    func trial(of path: SettingPath) -> RunningTransaction? {
        guard let transaction, transaction.generation != nil, !transaction.isUndone,
            transaction.paths.contains(path)
        else { return nil }
        return transaction
    }

    /// Lists one page of settings.
    func list(
        under prefix: SettingPath?, defaults: Bool, after: SettingPath?, reveal: Bool = false
    ) throws(APIError) -> SettingsInterface.List.Reply {
        if let prefix { try requireKnown(prefix) }
        var page = settings.list(under: prefix, defaults: defaults, after: after, limit: Self.pageSize + 1)
        let isLast = page.count <= Self.pageSize
        if !isLast { page.removeLast(page.count - Self.pageSize) }
        page = Self.bounded(page)
        let end = isLast && page.count <= Self.pageSize ? nil : page.last?.path.text
        return SettingsInterface.List.Reply(
            store: reference.store, generation: reference.generation,
            settings: page.map { info($0, reveal: reveal) }, next: end,
            note: page.isEmpty && after == nil ? prefix.flatMap(settings.missingEntry)?.description : nil)
    }

    /// Describes the values that the paths under a prefix may have.
    func describe(_ prefix: SettingPath?) throws(APIError) -> SettingsInterface.Describe.Reply {
        if let prefix, settings.schema.lookup(prefix) == nil { throw unknown(prefix) }
        return SettingsInterface.Describe.Reply(describing: prefix, in: settings.schema)
    }

    /// Starts a watch; end it with ``unwatch(_:)``.
    func watch(_ prefixes: [SettingPath]) throws(APIError) -> SettingsWatcher {
        for prefix in prefixes { try requireKnown(prefix) }
        let watcher = SettingsWatcher(prefixes: prefixes)
        watchers[ObjectIdentifier(watcher)] = watcher
        return watcher
    }

    /// Ends a watch.
    func unwatch(_ watcher: SettingsWatcher) {
        watchers[ObjectIdentifier(watcher)] = nil
        watcher.finish()
    }

    /// Returns one page of the present values that a watcher sees, defaults included.
    func watched(
        by watcher: SettingsWatcher, after: SettingPath?
    ) -> (reply: SettingsInterface.Watch.Reply, next: SettingPath?) {
        var page: [ResolvedSetting] = []
        if watcher.prefixes.isEmpty {
            page = settings.list(under: nil, after: after, limit: Self.pageSize)
        } else {
            for prefix in watcher.prefixes {
                page += settings.list(under: prefix, after: after, limit: Self.pageSize)
            }
            page.sort { $0.path < $1.path }
            var seen: SettingPath?
            page.removeAll { setting in
                defer { seen = setting.path }
                return seen == setting.path
            }
            if page.count > Self.pageSize { page.removeLast(page.count - Self.pageSize) }
        }
        let full = page.count
        page = Self.bounded(page)
        let next = full == Self.pageSize || page.count < full ? page.last?.path : nil
        let reply = SettingsInterface.Watch.Reply(
            store: reference.store, generation: reference.generation, initial: true,
            settings: page.map { info($0) })
        return (reply, next)
    }

    /// Returns the values of paths after a change, in pages; a path without a value is listed as removed.
    func changed(_ paths: some Sequence<SettingPath>) -> [SettingsInterface.Watch.Reply] {
        var replies: [SettingsInterface.Watch.Reply] = []
        var reply = emptyChange
        var bytes = 0
        for path in paths.sorted() {
            if let setting = settings.value(at: path), setting.value != nil {
                reply.settings.append(info(setting))
                bytes += setting.weight
            } else {
                reply.removed.append(path.text)
                bytes += path.text.utf8.count
            }
            if bytes > Self.pageBytes || reply.settings.count + reply.removed.count >= Self.pageSize {
                replies.append(reply)
                reply = emptyChange
                bytes = 0
            }
        }
        if replies.isEmpty || !reply.settings.isEmpty || !reply.removed.isEmpty { replies.append(reply) }
        return replies
    }

    private var emptyChange: SettingsInterface.Watch.Reply {
        SettingsInterface.Watch.Reply(store: reference.store, generation: reference.generation, initial: false)
    }

    // MARK: Turns

    /// Waits until no other change set is being applied: one transaction at a time, in the order of arrival.
    ///
    /// As many callers can wait as there are connections.
    func takeTurn() async {
        guard isWriting else {
            isWriting = true
            return
        }
        await withCheckedContinuation { writersWaiting.append($0) }
    }

    func endTurn() {
        if writersWaiting.isEmpty {
            isWriting = false
        } else {
            writersWaiting.removeFirst().resume()
        }
    }

    // MARK: Refusing

    private func requireKnown(_ path: SettingPath) throws(APIError) {
        guard settings.schema.lookup(path) != nil || settings.holdsRows(at: path) else { throw unknown(path) }
    }

    func unknown(_ path: SettingPath) -> APIError {
        if let name = settings.schema.newName(of: path) {
            return .unknownSetting(
                path: path.text, message: "\(path) is not a setting of this board any more: it was renamed to \(name)")
        }
        let hint = settings.schema.suggestion(for: path).map { "; did you mean \($0)?" } ?? "; see 'cleat list'"
        return .unknownSetting(path: path.text, message: "\(path) is not a setting of this board\(hint)")
    }

    func check(_ expected: GenerationRef) throws(APIError) {
        guard expected != reference else { return }
        let reason =
            expected.store == reference.store
            ? "the settings are at generation \(reference.generation), not \(expected.generation)"
            : "the store is \(reference.store), not \(expected.store)"
        throw .conflict(reference, message: "\(reason): someone else has changed them; read them again, then retry")
    }

    private static func bounded(_ page: [ResolvedSetting]) -> [ResolvedSetting] {
        var bytes = 0
        for (index, setting) in page.enumerated() {
            bytes += setting.weight
            if bytes > pageBytes { return Array(page[...index]) }
        }
        return page
    }

    /// The approximate maximum size in bytes of the settings in one reply: with one value of the maximum size on top it
    /// stays below the size of a message.
    private static let pageBytes = 256 * 1_024
    /// The approximate maximum size in bytes of one value in a reply.
    static let valueBytes = 960 * 1_024
}
