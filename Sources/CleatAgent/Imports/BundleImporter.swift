import CleatAPI
import CleatIO
import CleatObservers
import CleatSandbox
import CleatSettings
import Logging

/// Applies files with settings that arrive in the inbox, by the rules of the configuration, and puts them away:
/// into `imported` of the library, or into `rejected` with the reason beside it.
///
/// A file is put away only after its change has ended, and its change has an id of its own; so what was cut off in the
/// middle is neither lost nor done twice: the inbox is told again at each start.
actor BundleImporter {
    /// How many events may wait.
    private static let buffer = 4_096
    /// The numbers of the tries after the first one that a file has whose change is cut off.
    private static let moreTries = 2...3
    /// The directories of the library.
    private enum Shelf: String { case imported, rejected }

    private let loop: EventLoop
    private let engine: SettingsEngine
    private let bus: EventBus
    private let files: FileAreas
    private let log: Logger
    private let rules: @Sendable () -> [ImportRule]
    private let inbox: InboxObserver
    /// What is worked on last: one file is taken after the other.
    private var last: Task<Void, Never>?
    /// Whether the service is ending: what is on its way is brought to its end, and nothing is begun.
    private var isEnding = false
    /// The files whose change is on trial, or has to wait for one that is.
    private var waiting: [String: ArrivedFile.Mark] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Takes what it works with; nothing happens before ``run(_:)``.
    ///
    /// - Parameters:
    ///   - engine: What changes are made through.
    ///   - bus: Where it is told what became of files.
    ///   - files: The areas of files.
    ///   - log: Where it is said.
    ///   - inbox: What follows the inbox.
    ///   - rules: The rules that hold now.
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

    /// Begins to listen; to be called before the inbox is looked at.
    nonisolated func subscribe() -> EventSubscription {
        bus.subscribe(matching: EventFilter(sources: [.file, .agent]), buffer: Self.buffer)
    }

    /// Takes what lies there, then one file after the other until the bus closes.
    func run(_ events: EventSubscription) async {
        // What a reload has begun ends with it.
        defer { isEnding = true }
        await inbox.settled()
        await takeAll()
        while let delivery = await events.next() {
            guard !rules().isEmpty else {
                waiting.removeAll()
                continue
            }
            switch delivery {
            // What was there at the start has been taken.
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

    /// Takes all files that lie in the inbox and that a rule names, in the order of their names: at the start, when the
    /// rules are others, and after lost events.
    func takeAll() async {
        await inTurn { await $0.takeAllNow() }
    }

    /// Works on something once what was begun before has ended.
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
            // A change that is cut off would be undone, and its file would be taken for one that was refused.
            loop.task { await self.end() }
        }
    }

    private func end() { isEnding = true }

    private func takeWaiting() async {
        let again = waiting.sorted { $0.key < $1.key }
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
            log.error("the inbox cannot be listed: \(error) What lies in it is looked at again at the next start")
            return
        }
        // Who still writes one closes it, which is told.
        for path in paths where !isEnding {
            if await inbox.isWhole(path) { await take(path) }
        }
    }

    /// The files that a rule names, in the order of their names.
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

    /// Applies one file where a rule says so.
    ///
    /// - Parameters:
    ///   - name: its path in the inbox.
    ///   - former: what was read there before, whose change was on trial: a file of which only the mode is another one now
    ///     must not ask for that change again.
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
            // Somebody else has taken it.
            return
        } catch {
            log.error("\(name) stays in the inbox: \(error) It is looked at again at the next start")
        }
    }

    private func apply(_ file: ArrivedFile, by rule: ImportRule) async throws {
        let author = Author(user: file.owner)
        let isWelcome = rule.owners.contains(file.owner)
        let stranger = "The file belongs to \(author.name), and the rule for \(rule.match) takes it from others only."
        let schema = await engine.settings.schema
        // What a schema file says that cannot be read is not known.
        let isComplete = await engine.areSourcesComplete
        let mayHide = schema.root.holdsSecrets || !isComplete
        guard let bytes = file.bytes else {
            let reason = "The file has more than \(SettingsBundle.limit) bytes; split it."
            return try await reject(file, isWelcome ? reason : stranger, keepsWhole: !mayHide)
        }
        let bundle: SettingsBundle
        do {
            bundle = try await files.worker.run { try SettingsBundle(bytes, schema: schema, mayHide: mayHide) }
        } catch let refusal as SettingsBundle.Refusal {
            return try await reject(file, isWelcome ? refusal.description : stranger, keepsWhole: !mayHide)
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
            // What was on no trial and was undone was cut off, as by a power cut.
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
                    rule.confirm == nil ? "was cut off each time that it was made" : "was on trial and was undone"
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
        tell("imported", file, ["GENERATION": String(generation), "KEPT": kept])
    }

    private func reject(
        _ file: ArrivedFile, _ reason: String, _ bundle: SettingsBundle? = nil, keepsWhole: Bool = false
    ) async throws {
        let mark = String(file.changeID.suffix(8))
        let kept = try await move(
            file, bundle, to: .rejected, mark: mark, reason: reason, keepsWhole: keepsWhole)
        log.warning("\(file.path.text) of the inbox was not applied: \(reason)")
        tell("rejected", file, ["REASON": reason, "KEPT": kept])
    }

    /// Moves a file into the library; one with secrets is written anew without them, since more people read there.
    ///
    /// Of one that is no settings only the reason is kept where the board has secrets: nobody knows what of it is one.
    ///
    /// - Returns: where it, or the reason, lies in the library; empty where another file has taken its place meanwhile.
    private func move(
        _ file: ArrivedFile, _ bundle: SettingsBundle?, to shelf: Shelf, mark: String, reason: String?,
        keepsWhole: Bool = false
    ) async throws -> String {
        let inbox = try files.area(Area.inbox.rawValue).directory
        let library = try files.area(Area.library.rawValue).directory
        let name = file.path.text.split(separator: "/").last.map(String.init) ?? "settings"
        // The mark and the ending of the reason's name leave so much of the 255 bytes that a name may have.
        let place = "\(shelf.rawValue)/\(mark)-\(name.utf8.count > 200 ? "settings" : name)"
        return try await files.worker.run {
            let target = try SandboxPath(place)
            guard try file.isThere(in: inbox) else { return "" }
            try library.makeDirectory(try SandboxPath(shelf.rawValue), withParents: true)
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

    private func tell(_ action: String, _ file: ArrivedFile, _ properties: [String: String]) {
        bus.publish(
            EventDraft(
                source: .file, action: action, subject: file.path.text, properties: PropertyBlock(properties),
                cause: file.changeID))
    }
}
