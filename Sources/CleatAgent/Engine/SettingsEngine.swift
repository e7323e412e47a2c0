import CleatAPI
package import CleatIO
import CleatJSON
package import CleatObservers
import CleatSandbox
package import CleatSettings
package import CleatStore

/// Holds the settings in memory, answers what they are, and takes one change set after the other to the store.
///
/// Reads never wait for a commit: while one is on its way to the disk, they see the generation before.
package actor SettingsEngine {
    /// The most settings in one answer of a listing.
    static let pageSize = 256

    private nonisolated let loop: EventLoop
    private let store: SettingsStore
    private let bus: EventBus
    private let bootID: String
    private let onCommit: @Sendable (LayeredSettings) -> Void
    /// The settings in force.
    private(set) var settings: LayeredSettings
    /// The generation that they are.
    private(set) var reference: GenerationRef
    private var watchers: [ObjectIdentifier: SettingsWatcher] = [:]
    private var isWriting = false
    private var writersWaiting: [CheckedContinuation<Void, Never>] = []

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Takes over the state that a store holds.
    ///
    /// - Parameters:
    ///   - loop: What the engine runs on.
    ///   - store: Where commits go.
    ///   - state: What the store held when it was opened.
    ///   - sources: What the board's files say: schemas, defaults, factory data, locks.
    ///   - bus: Where changes are told.
    ///   - onCommit: Called with the settings after each change.
    package init(
        loop: EventLoop, store: SettingsStore, state: StoredState, sources: SettingsSources, bus: EventBus,
        onCommit: @escaping @Sendable (LayeredSettings) -> Void
    ) {
        self.loop = loop
        self.store = store
        self.bus = bus
        self.onCommit = onCommit
        bootID = bus.bootID
        settings = LayeredSettings(
            sources: sources, committed: SettingsTree(state.settings.lazy.map { ($0.path, $0.value) }))
        reference = state.generation
    }

    // MARK: Reading

    /// Says what one path holds; secrets are left out unless they are to be revealed.
    func get(_ path: SettingPath, reveal: Bool = false) throws(APIError) -> SettingsInterface.Get.Reply {
        guard let setting = settings.value(at: path) else { throw unknown(path) }
        guard setting.weight <= Self.valueBytes else {
            throw .storeFailed(
                code: "too_large",
                message:
                    "what stands under \(path) is more than one answer holds; page through it with List ('cleat list')")
        }
        var info = SettingInfo(setting, reveal: reveal)
        if !setting.isSetting, !reveal { info.value = settings.valueWithoutSecrets(at: path) }
        return SettingsInterface.Get.Reply(
            store: reference.store, generation: reference.generation, leaf: setting.isSetting, setting: info)
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
            settings: page.map { SettingInfo($0, reveal: reveal) }, next: end)
    }

    /// Describes what the paths under a prefix may hold.
    func describe(_ prefix: SettingPath?) throws(APIError) -> [SettingDescription] {
        if let prefix, settings.schema.lookup(prefix) == nil { throw unknown(prefix) }
        return settings.schema.entries(under: prefix).map(SettingDescription.init)
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
            settings: page.map { SettingInfo($0) })
        return (reply, next)
    }

    /// Says what paths hold after a change, in pages; a path that holds nothing any more is told as removed.
    func changed(_ paths: some Sequence<SettingPath>) -> [SettingsInterface.Watch.Reply] {
        var replies: [SettingsInterface.Watch.Reply] = []
        var reply = emptyChange
        var bytes = 0
        for path in paths.sorted() {
            if let setting = settings.value(at: path), setting.value != nil {
                reply.settings.append(SettingInfo(setting))
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

    // MARK: Writing

    /// Takes a change set to the store, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - request: The changes, with the caller's id and expectation.
    ///   - author: Who asks.
    ///   - cause: The hooks that the change goes back to, where one made it.
    /// - Returns: What became of the changes.
    /// - Throws: `APIError`, and then nothing has changed.
    func set(
        _ request: SettingsInterface.Set.Parameters, author: String, cause: String?
    ) async throws -> SettingsInterface.Set.Reply {
        let changes = try Self.changeSet(of: request)
        let hash = SHA256.hexadecimal(of: changes.canonicalText.utf8)
        await takeTurn()
        defer { endTurn() }

        if let id = request.id, let earlier = try await record(ofID: id) {
            guard earlier.hash == hash else { throw Self.reused(id, generation: earlier.number) }
            return reply(.repeated, id: id, generation: earlier.number, differences: earlier.changes)
        }
        if let expected = request.expect { try check(expected) }

        let proposal = settings.propose(changes)
        guard proposal.problems.isEmpty else { throw Self.refusal(proposal) }
        let id = request.id ?? Self.makeID()
        guard !proposal.differences.isEmpty else {
            return reply(.unchanged, id: id, generation: reference.generation, differences: [])
        }

        let committed = try await commit(proposal.differences, id: id, hash: hash, request, author)
        let effects = SettingsEffects(of: proposal.differences, before: settings, after: proposal.settings)
        settings = proposal.settings
        reference = committed
        await tell(effects, author: author, cause: cause)
        return reply(.confirmed, id: id, generation: committed.generation, differences: proposal.differences)
    }

    private func commit(
        _ differences: [SettingDifference], id: String, hash: String, _ request: SettingsInterface.Set.Parameters,
        _ author: String
    ) async throws -> GenerationRef {
        do throws(StoreError) {
            let outcome = try await store.commit(
                CommitRequest(
                    changes: differences, id: id, hash: hash, expect: reference, author: author,
                    comment: request.comment, stamp: .now(bootID: bootID)))
            switch outcome {
            case .committed(let generation, _), .unchanged(let generation): return generation
            case .repeated(let record):
                return GenerationRef(store: reference.store, generation: record.number)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Follows other files: what they make different is told to those who watch, and as events.
    ///
    /// - Parameter sources: What the board's files say now.
    package func follow(_ sources: SettingsSources) async {
        await takeTurn()
        defer { endTurn() }
        let after = LayeredSettings(sources: sources, committed: settings.committed, volatile: settings.volatile)
        let effects = await SettingsEffects.between(settings, after, on: loop)
        settings = after
        await tell(effects, author: "agent", cause: nil)
    }

    private func tell(_ effects: SettingsEffects, author: String, cause: String?) async {
        for watcher in watchers.values { watcher.note(effects.touched) }
        onCommit(settings)
        for (index, difference) in effects.differences.enumerated() {
            // Others have their turn while a large commit is told; the next commit is not begun meanwhile.
            if index % Self.eventsPerTurn == Self.eventsPerTurn - 1 { await loop.yield() }
            bus.publish(
                EventDraft(
                    source: .setting, action: difference.new == nil ? "unset" : "set", subject: difference.path.text,
                    properties: .setting(difference, generation: reference.generation, author: author, in: settings),
                    cause: cause))
        }
    }

    /// Waits until no other change set is on its way: one transaction at a time, in the order of their coming.
    ///
    /// As many can wait as there are connections.
    private func takeTurn() async {
        guard isWriting else {
            isWriting = true
            return
        }
        await withCheckedContinuation { writersWaiting.append($0) }
    }

    private func endTurn() {
        if writersWaiting.isEmpty {
            isWriting = false
        } else {
            writersWaiting.removeFirst().resume()
        }
    }

    // MARK: History

    /// Reads one page of history, newest first.
    func log(before: Int64?, limit: Int) async throws -> SettingsInterface.Log.Reply {
        do {
            let records = try await store.generations(before: before, limit: limit)
            // A page of large generations is shorter than its limit: only the oldest one ends the history.
            let oldest = store.statistics?.oldestGeneration ?? 1
            let next = records.last.flatMap { $0.number > oldest ? $0.number : nil }
            return SettingsInterface.Log.Reply(
                store: reference.store, generations: records.map { Generation($0, in: settings) }, next: next)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Finds what differs between two generations.
    func diff(from: Int64?, to: Int64?) async throws -> SettingsInterface.Diff.Reply {
        let end = to ?? reference.generation
        let start = from ?? max(0, end - 1)
        for number in [start, end] where !(0...reference.generation).contains(number) {
            throw APIError.unknownGeneration(
                generation: number,
                message: "there is no generation \(number); the last one is \(reference.generation), see 'cleat log'")
        }
        do {
            let differences = try await store.differences(from: start, to: end)
            let (changes, omitted) = [ChangeRecord].records(of: differences, in: settings)
            return SettingsInterface.Diff.Reply(
                store: reference.store, from: start, to: end, changes: changes, omitted: omitted)
        } catch {
            if error.code == .historyGone {
                throw APIError.unknownGeneration(generation: min(start, end), message: error.description)
            }
            throw Self.failure(error)
        }
    }

    private func record(ofID id: String) async throws -> GenerationRecord? {
        do {
            return try await store.record(id: id)
        } catch {
            throw Self.failure(error)
        }
    }

    // MARK: Refusing

    private func requireKnown(_ path: SettingPath) throws(APIError) {
        guard settings.schema.lookup(path) != nil || settings.committed.contains(path) else { throw unknown(path) }
    }

    private func unknown(_ path: SettingPath) -> APIError {
        let hint = settings.schema.suggestion(for: path).map { "; did you mean \($0)?" } ?? "; see 'cleat list'"
        return .unknownSetting(path: path.text, message: "\(path) is not a setting of this board\(hint)")
    }

    private func check(_ expected: GenerationRef) throws(APIError) {
        guard expected != reference else { return }
        let reason =
            expected.store == reference.store
            ? "the settings are at generation \(reference.generation), not \(expected.generation)"
            : "the store is \(reference.store), not \(expected.store)"
        throw .conflict(reference, message: "\(reason): someone else has changed them; read them again, then retry")
    }

    private func reply(
        _ state: CommitState, id: String, generation: Int64, differences: [SettingDifference]
    ) -> SettingsInterface.Set.Reply {
        // Whatever happens from here on, the commit is done: the reply has to fit into a message.
        let (changes, omitted) = [ChangeRecord].records(of: differences, in: settings)
        return SettingsInterface.Set.Reply(
            id: id, store: reference.store, generation: generation, state: state, changes: changes,
            results: AdapterResult.results(for: differences), omitted: omitted)
    }

    private static func bounded(_ page: [ResolvedSetting]) -> [ResolvedSetting] {
        var bytes = 0
        for (index, setting) in page.enumerated() {
            bytes += setting.weight
            if bytes > pageBytes { return Array(page[...index]) }
        }
        return page
    }

    /// How many events of one commit are told before others have their turn.
    private static let eventsPerTurn = 64

    /// About the most bytes of settings in one answer: with one value of the greatest size on top it stays below the
    /// size of a message.
    private static let pageBytes = 256 * 1_024
    /// About the most bytes of one value in an answer.
    private static let valueBytes = 960 * 1_024
}
