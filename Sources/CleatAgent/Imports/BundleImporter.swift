import CleatAPI
import CleatIO
import CleatObservers
import CleatOrder
import CleatSandbox
import CleatSettings
import Logging

/// Applies files with settings that arrive in the inbox, by the rules of the configuration, and moves them to the
/// library: into `imported`, or into `rejected` with the reason next to them.
///
/// A file is moved only after its change has ended, and its change has an id of its own; so an interrupted import is
/// neither lost nor done twice: the inbox is listed again at each start.
actor BundleImporter {
    /// The maximum number of events that wait.
    private static let buffer = 4_096
    /// The numbers of the retries of a file whose change is interrupted.
    private static let moreTries = 2...3
    /// The directories of the library.
    private enum Folder: String { case imported, rejected }

    private let loop: EventLoop
    private let engine: SettingsEngine
    private let bus: EventBus
    private let files: FileAreas
    private let log: Logger
    private let rules: @Sendable () -> [ImportRule]
    private let inbox: InboxObserver
    /// The task that was queued last: files are imported one after the other.
    private var last: Task<Void, Never>?
    /// True if the service is ending: a running import is completed, and none is started.
    private var isEnding = false
    /// The files whose change is on trial, or has to wait for one that is, by their paths.
    private var waiting: [String: ArrivedFile.Mark] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates an importer; nothing happens before ``run(_:)``.
    ///
    /// - Parameters:
    ///   - engine: The engine that makes the changes.
    ///   - bus: The bus that the outcomes are published on.
    ///   - files: The file areas.
    ///   - log: The log that the outcomes are written to.
    ///   - inbox: The observer of the inbox.
    ///   - rules: Returns the rules in force.
    init(
        engine: SettingsEngine, bus: EventBus, files: FileAreas, log: Logger, inbox: InboxObserver,
        rules: @escaping @Sendable () -> [ImportRule]
    ) {
        loop = engine.loop
        self.engine = engine
        self.bus = bus
        self.files = files
        self.log = log
        self.inbox = inbox
        self.rules = rules
    }

    /// Subscribes to the events; to be called before the inbox is scanned.
    nonisolated func subscribe() -> EventSubscription {
        bus.subscribe(matching: EventFilter(sources: [.file, .agent]), buffer: Self.buffer)
    }

    /// Imports the files in the inbox, then one file after the other until the bus closes.
    func run(_ events: EventSubscription) async {
        // An import that a reload has started ends with it.
        defer { isEnding = true }
        await inbox.waitUntilReady()
        await takeAll()
        while let delivery = await events.next() {
            guard !rules().isEmpty else {
                waiting.removeAll()
                continue
            }
            switch delivery {
            // Files that were in the inbox at startup have been imported already.
            case .event(let event) where event.source == .file && event.action == "arrived" && !event.restored:
                await inTurn { await $0.take(event.subject) }
            case .event(let event) where event.source == .agent && event.action.hasPrefix("change-"):
                guard event.action != "change-pending" else { continue }
                await inTurn { await $0.takeWaiting() }
            case .event: continue
            case .lost: await takeAll()
            }
        }
    }

    /// Imports all files in the inbox that match a rule, in the order of their names: at startup, when the rules have
    /// changed, and after lost events.
    func takeAll() async {
        await inTurn { await $0.takeAllNow() }
    }

    /// Runs a task after all tasks that were queued before.
    private func inTurn(_ work: @escaping @Sendable (isolated BundleImporter) async -> Void) async {
        let before = last
        let task = loop.task {
            await before?.value
            await work(self)
        }
        last = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            // A cancelled change would be reverted, and its file would be treated as refused.
            loop.task { await self.end() }
        }
    }

    private func end() { isEnding = true }

    private func takeWaiting() async {
        let again = waiting.ordered { $0.key < $1.key }
        waiting.removeAll()
        for (path, mark) in again where !isEnding { await take(path, after: mark) }
    }

    private func takeAllNow() async {
        let rules = rules()
        guard !rules.isEmpty else { return }
        let paths: [String]
        do {
            let inbox = try files.area(Area.inbox.rawValue).directory
            paths = try await files.worker.run { try Self.paths(in: inbox, rules) }
        } catch {
            log.error("the inbox cannot be listed: \(error) Its files are read again at the next startup")
            return
        }
        // A file that is still being written is closed later, which emits an event.
        for path in paths where !isEnding {
            if await inbox.isWhole(path) { await take(path) }
        }
    }

    /// Returns the paths of the files that match a rule, in the order of their names.
    private static func paths(
        in inbox: SandboxedDirectory, _ rules: [ImportRule]
    ) throws(SandboxError) -> [String] {
        var found: [String] = []
        var after: SandboxPath?
        while true {
            let page = try inbox.list(recursive: true, after: after)
            for entry in page.entries where rules.contains(where: { $0.match.matches(entry.path.text) }) {
                found.append(entry.path.text)
            }
            guard page.hasMore, let last = page.entries.last else { return found }
            after = last.path
        }
    }

    /// Applies one file if a rule matches it.
    ///
    /// - Parameters:
    ///   - name: The path in the inbox.
    ///   - former: The mark of the file that was read there before, whose change was on trial: a file with only a
    ///     different mode must not request that change again.
    private func take(_ name: String, after former: ArrivedFile.Mark? = nil) async {
        guard let rule = rules().first(where: { $0.match.matches(name) }) else { return }
        do {
            let inbox = try files.area(Area.inbox.rawValue).directory
            let path = try SandboxPath(name)
            let read = try await files.worker.run { try ArrivedFile(path, in: inbox, limit: SettingsBundle.limit) }
            var file = read
            if let former { file.continueAs(former) }
            try await apply(file, by: rule)
        } catch let error as SandboxError where error.code == .notFound {
            // Another program has removed it.
            return
        } catch {
            log.error("\(name) stays in the inbox: \(error) It is read again at the next startup")
        }
    }

    private func apply(_ file: ArrivedFile, by rule: ImportRule) async throws {
        let author = Author(user: file.owner)
        let isWelcome = rule.owners.contains(file.owner)
        let stranger =
            "The file belongs to \(author.name), and the rule for \(rule.match) accepts only files of other users."
        let schema = await engine.settings.schema
        // The rules of a schema file that cannot be read are unknown.
        let isComplete = await engine.areSourcesComplete
        let mayHide = schema.root.holdsSecrets || !isComplete
        let isHarmless = isComplete && !schema.mayHoldSecrets(inUnread: file.bytes)
        guard let bytes = file.bytes else {
            let reason = "The file has more than \(SettingsBundle.limit) bytes; split it."
            return try await reject(file, isWelcome ? reason : stranger, keepsWhole: isHarmless)
        }
        let bundle: SettingsBundle
        do {
            bundle = try await files.worker.run { try SettingsBundle(bytes, schema: schema, mayHide: mayHide) }
        } catch let refusal as SettingsBundle.Refusal {
            return try await reject(file, isWelcome ? refusal.description : stranger, keepsWhole: isHarmless)
        }
        guard isWelcome else { return try await reject(file, stranger, bundle) }
        guard !bundle.changes.isEmpty else { return try await reject(file, "The file names no setting.", bundle) }
        let comment = "from \(file.path.text) of the inbox"
        do {
            var request = SettingsInterface.Set.Parameters(
                changes: bundle.changes, id: file.changeID,
                comment: comment.utf8.count > APILimits.commentBytes ? "from the inbox" : comment,
                confirm: rule.confirm)
            var reply = try await engine.set(request, author: author, cause: nil)
            // A change that was not on trial and was reverted had been interrupted, for instance by a power cut.
            for number in Self.moreTries where reply.state == .reverted && rule.confirm == nil {
                request.id = "\(file.changeID)-\(number)"
                reply = try await engine.set(request, author: author, cause: nil)
            }
            switch reply.state {
            case .pending:
                waiting[file.path.text] = file.mark
                log.notice("\(file.path.text) of the inbox is on trial as change \(reply.id)")
            case .reverted:
                let reason =
                    rule.confirm == nil ? "was interrupted at every attempt" : "was on trial and was reverted"
                try await reject(file, "The change \(reply.id) \(reason).", bundle)
            default: try await putAway(file, bundle, generation: reply.generation)
            }
        } catch let error as APIError {
            switch error {
            case .transactionPending:
                waiting[file.path.text] = file.mark
            case .storeFailed, .notReverted: throw error
            default:
                let reason = "\(error)"
                try await reject(file, reason.hasSuffix("?") ? reason : reason + ".", bundle)
            }
        }
    }

    // MARK: Putting away

    private func putAway(_ file: ArrivedFile, _ bundle: SettingsBundle, generation: Int64) async throws {
        let kept = try await move(file, bundle, to: .imported, mark: String(generation), reason: nil)
        log.notice("\(file.path.text) of the inbox was applied: generation \(generation)")
        publish("imported", file, ["GENERATION": String(generation), "KEPT": kept])
    }

    private func reject(
        _ file: ArrivedFile, _ reason: String, _ bundle: SettingsBundle? = nil, keepsWhole: Bool = false
    ) async throws {
        let mark = String(file.changeID.suffix(8))
        let kept = try await move(
            file, bundle, to: .rejected, mark: mark, reason: reason, keepsWhole: keepsWhole)
        log.warning("\(file.path.text) of the inbox was not applied: \(reason)")
        publish("rejected", file, ["REASON": reason, "KEPT": kept])
    }

    /// Moves a file into the library; one with secrets is rewritten without them, since more users may read the
    /// library.
    ///
    /// If a file is not a valid bundle and may have secrets, only the reason is kept: any part of it may be a
    /// secret.
    ///
    /// - Returns: The path of the file, or of the reason, in the library; empty if another file has replaced it
    ///   meanwhile.
    private func move(
        _ file: ArrivedFile, _ bundle: SettingsBundle?, to folder: Folder, mark: String, reason: String?,
        keepsWhole: Bool = false
    ) async throws -> String {
        let inbox = try files.area(Area.inbox.rawValue).directory
        let library = try files.area(Area.library.rawValue).directory
        let name = file.path.text.split(separator: "/").last.map(String.init) ?? "settings"
        // The mark and the suffix of the reason's name leave this part of the 255 bytes of a file name.
        let place = "\(folder.rawValue)/\(mark)-\(name.utf8.count > 200 ? "settings" : name)"
        return try await files.worker.run {
            let target = try SandboxPath(place)
            guard try file.isThere(in: inbox) else { return "" }
            try library.makeDirectory(try SandboxPath(folder.rawValue), withParents: true)
            let reasonPlace = "\(place).reason.txt"
            if let reason { try library.write(Array("\(reason)\n".utf8), to: try SandboxPath(reasonPlace)) }
            if bundle == nil, !keepsWhole {
                try inbox.delete(file.path)
                return reasonPlace
            }
            if let bundle, bundle.holdsSecrets {
                try library.write(Array(bundle.textWithoutSecrets.utf8), to: target)
                try inbox.delete(file.path)
            } else {
                try inbox.move(file.path, to: library, as: target, replacing: true)
            }
            return place
        }
    }

    private func publish(_ action: String, _ file: ArrivedFile, _ properties: [String: String]) {
        bus.publish(
            EventDraft(
                source: .file, action: action, subject: file.path.text, properties: PropertyBlock(properties),
                cause: file.changeID))
    }
}
