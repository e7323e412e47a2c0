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

/// Holds the settings in memory, answers what they are, and takes one change set after the other to the store.
///
/// Reads never wait for a commit: while one is on its way to the disk, they see the generation before.
package actor SettingsEngine {
    /// The most settings in one answer of a listing.
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
    /// How often the board's files have been read again.
    var sourcesRevision = 0
    /// The generation that they are.
    var reference: GenerationRef
    /// What makes the system follow them.
    var follower: SystemFollower
    /// What holds until the next boot, and where it is from.
    var volatileState: VolatileState
    /// What looks whether probes hold.
    nonisolated let prober: ProbeRunner
    /// Who waits for the end of a change on trial.
    var endings: [TrialEnding] = []
    /// The change that is on its way to the system, or on trial.
    var transaction: RunningTransaction?
    /// Whether files are left as they are, since the settings may be older than they.
    var leavesFiles = false
    /// How well the system follows them, as far as that was looked at.
    var standing = SystemStanding()
    /// What runs the programs that take up what was written at the start.
    var startActions: Task<Void, Never>?
    /// What tries again what was left undone.
    var leftoverTask: Task<Void, Never>?
    /// The interfaces that settings are about and that were not there at the start.
    var awaitedInterfaces: Set<String> = []
    /// Whether all of the board's files could be read.
    var areSourcesComplete = true
    /// Why the store did not take the last change; nil where it did.
    var storeFailure: String?
    /// Whether the system has been compared with the settings since the start.
    var isUpheld = false
    private(set) var watchers: [ObjectIdentifier: SettingsWatcher] = [:]
    /// What was found of the settings since they are what they are.
    private var health: SettingsHealth?
    private(set) var isWriting = false
    private var writersWaiting: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Takes over the state that a store holds.
    ///
    /// - Parameters:
    ///   - loop: What the engine runs on.
    ///   - store: Where commits go.
    ///   - state: What the store held when it was opened.
    ///   - sources: What the board's files say: schemas, defaults, factory data, locks.
    ///   - volatile: Where volatile changes go, and what was read from there.
    ///   - follower: What makes the system follow the settings.
    ///   - prober: What looks whether probes hold.
    ///   - bus: Where changes are told.
    ///   - log: Where each change of the board is told in one line; nil for nowhere.
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

    /// The schema in force, and a number that is another one whenever the schema is.
    var schemaInForce: (schema: Schema, revision: Int) { (settings.schema, sourcesRevision) }

    /// Examines the settings where they have changed since the last time, else says what was found then.
    func health(_ examine: @Sendable (LayeredSettings) -> SettingsHealth) -> SettingsHealth {
        if let health { return health }
        let found = examine(settings)
        health = found
        return found
    }

    /// Says what one path holds; secrets are left out unless they are to be revealed.
    ///
    /// - Parameters:
    ///   - path: a setting or a group.
    ///   - reveal: whether secrets are told.
    ///   - isDefault: whether the schema's default is asked for, whatever is set.
    /// - Returns: what it holds; no value where it is left to the system.
    /// - Throws: `APIError` for a path that nothing has, and for values that do not fit into one answer.
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

    /// Says what a path holds, and whether that is on trial.
    func info(_ setting: ResolvedSetting, reveal: Bool = false) -> SettingInfo {
        var info = SettingInfo(setting, reveal: reveal)
        info.pending = trial(of: setting.path)?.id
        tellDefaults(in: &info, of: setting, settings, reveal: reveal)
        return info
    }

    /// Has a description tell a default only where that is what holds, and no secrets of a group.
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

    /// The change on trial whose value a path has.
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

    /// Describes what the paths under a prefix may hold.
    func describe(_ prefix: SettingPath?) throws(APIError) -> SettingsInterface.Describe.Reply {
        if let prefix, settings.schema.lookup(prefix) == nil { throw unknown(prefix) }
        return SettingsInterface.Describe.Reply(describing: prefix, in: settings.schema)
    }

    /// Begins a watch; end it with ``unwatch(_:)``.
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

    /// Lists one page of what a watcher sees now, defaults included.
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

    /// Says what paths hold after a change, in pages; a path that holds nothing any more is told as removed.
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

    /// Waits until no other change set is on its way: one transaction at a time, in the order of their coming.
    ///
    /// As many can wait as there are connections.
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

    /// About the most bytes of settings in one answer: with one value of the greatest size on top it stays below the
    /// size of a message.
    private static let pageBytes = 256 * 1_024
    /// About the most bytes of one value in an answer.
    static let valueBytes = 960 * 1_024
}
