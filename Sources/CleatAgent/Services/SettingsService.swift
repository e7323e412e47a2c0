import CleatAPI
import CleatHooks
import CleatIO
import CleatSettings
package import CleatVarlink

/// Implements `dev.cleat.Settings`: values, schema, changes, watches, history.
package struct SettingsService: VarlinkService {
    package let interface = InterfaceDescription(constant: SettingsInterface.idl)
    let engine: SettingsEngine
    private let hooks: HookRunner
    private let access: Access
    let doctor: Doctor
    private let files: FileAreas
    let reloader: Reloader
    let schemaTexts: SchemaTexts
    let installedSchemas: InstalledSchemas
    let worker: Worker
    private let links: @Sendable () async -> [Link]

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - engine: The engine that holds the settings.
    ///   - hooks: The runner that knows which hook a caller belongs to.
    ///   - access: The rules that decide who may see secrets.
    ///   - doctor: The doctor that collects findings.
    ///   - files: The file areas, with the uploads.
    ///   - reloader: The reloader of the board's files.
    ///   - installedSchemas: The schemas that can be enabled by their names.
    ///   - worker: The worker for work that would block the loop.
    ///   - links: Returns the board's network links, for plans.
    init(
        engine: SettingsEngine, hooks: HookRunner, access: Access, doctor: Doctor, files: FileAreas,
        reloader: Reloader, installedSchemas: InstalledSchemas, worker: Worker,
        links: @escaping @Sendable () async -> [Link]
    ) {
        self.engine = engine
        self.hooks = hooks
        self.access = access
        self.doctor = doctor
        self.files = files
        self.reloader = reloader
        self.installedSchemas = installedSchemas
        self.worker = worker
        self.links = links
        schemaTexts = SchemaTexts(loop: engine.loop, worker: worker)
    }

    package func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        switch call.method {
        case "Get": try await get(call)
        case "List": try await list(call)
        case "Describe": try await describe(call)
        case "Set": try await set(call)
        case "Schema": try await schema(call)
        case "Doctor": try await doctor(call)
        case "Reload": try await reload(call)
        case "InstalledSchemas": try await installedSchemas(call)
        case "EnableSchema": try await enableSchema(call)
        case "Reset": try await reset(call)
        case "Rollback": try await rollback(call)
        case "Why": try await why(call)
        case "Watch": try await watch(call)
        case "Log": try await log(call)
        case "Diff": try await diff(call)
        default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }

    private func get(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Get.self)
        let reveal = try reveals(to: call, parameters.reveal)
        if let reply = try await engine.answer(parameters, reveal: reveal) { return reply }
        // The values below a large group are collected elsewhere, so that others are answered meanwhile.
        return try await worker.run { [queries = await engine.queries] in
            try queries.get(
                SettingPath(fromCaller: parameters.path), reveal: reveal, default: parameters.asksForDefault ?? false
            ).reply
        }
    }

    /// Returns true if a reply shows secrets: only if the caller requests them and may see them.
    func reveals(to call: VarlinkCall, _ isAsked: Bool?) throws(APIError) -> Bool {
        guard isAsked == true else { return false }
        guard access.reveals(call.identity) else {
            throw .permissionDenied(
                message:
                    "only root and the service's own user may read secrets (you are \(call.author.name), uid "
                    + "\(call.identity.uid)); omit reveal")
        }
        return true
    }

    private func list(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.List.self)
        let prefix = try parameters.prefix.map(SettingPath.init(fromCaller:))
        var after = try parameters.after.map(SettingPath.init(fromCaller:))
        let reveal = try reveals(to: call, parameters.reveal)
        // All pages are of one state.
        let queries = await engine.queries
        while true {
            let page = try queries.list(
                under: prefix, defaults: parameters.defaults ?? true, after: after, reveal: reveal)
            guard call.more, let next = page.next else { return page.reply }
            try await call.send(page: page, on: engine.loop)
            after = try SettingPath(fromCaller: next)
        }
    }

    private func describe(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Describe.self)
        return try await engine.queries.describe(parameters.prefix.map(SettingPath.init(fromCaller:))).reply
    }

    private func set(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Set.self)
        let cause = await hooks.cause(ofProcess: call.peer.pid)
        let uploads = try await files.contents(of: parameters.uploads ?? [], by: call.identity.uid)
        return try await engine.set(
            parameters, author: call.author.acting(for: cause), cause: cause,
            caller: await caller(of: call, parameters.plan),
            uploads: uploads
        ).reply
    }

    /// Returns the route by which a caller reaches the board, for a plan, which reports the effect on it.
    private func caller(of call: VarlinkCall, _ isPlan: Bool?) async -> CallerRoute {
        guard isPlan == true else { return .unknown }
        let session = call.session
        return CallerRoute(address: session?.address, client: session?.client, links: await links())
    }

    private func reset(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Reset.self)
        let cause = await hooks.cause(ofProcess: call.peer.pid)
        return try await engine.reset(
            parameters, author: call.author.acting(for: cause), cause: cause,
            caller: await caller(of: call, parameters.plan)
        ).reply
    }

    private func rollback(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Rollback.self)
        let cause = await hooks.cause(ofProcess: call.peer.pid)
        return try await engine.rollback(
            parameters, author: call.author.acting(for: cause), cause: cause,
            caller: await caller(of: call, parameters.plan)
        ).reply
    }

    private func why(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Why.self)
        let reveal = try reveals(to: call, parameters.reveal)
        return try await engine.why(SettingPath(fromCaller: parameters.path), reveal: reveal).reply
    }

    private func watch(_ call: VarlinkCall) async throws -> VarlinkReply {
        try call.requireMore()
        let parameters = try call.parameters(of: SettingsInterface.Watch.self)
        guard parameters.prefixes.count <= APILimits.prefixes else {
            throw VarlinkError.invalidParameter("prefixes")
        }
        let watcher = try await engine.watch(parameters.prefixes.map(SettingPath.init(fromCaller:)))
        do {
            try await sendState(to: call, watcher)
            while let notice = await watcher.next() {
                // A single commit is sent as it is; a summary is sent with the number of commits that it covers besides
                // the first.
                let lost = notice.commits > 1 ? Int64(notice.commits - 1) : nil
                guard let paths = notice.paths else {
                    try await sendState(to: call, watcher, lost: lost)
                    continue
                }
                let queries = await engine.queries
                if let reply = notice.replies?[queries.revision] {
                    try await call.send(reply)
                    continue
                }
                var pages = queries.changed(paths)
                pages[0].lost = lost
                for page in pages {
                    let reply = page.reply
                    if pages.count == 1 { notice.replies?.keep(reply, at: queries.revision) }
                    try await call.send(reply)
                }
            }
        } catch {
            await engine.unwatch(watcher)
            throw error
        }
        await engine.unwatch(watcher)
        throw CancellationError()
    }

    private func sendState(to call: VarlinkCall, _ watcher: SettingsWatcher, lost: Int64? = nil) async throws {
        var after: SettingPath?
        var lost = lost
        repeat {
            var (reply, next) = await engine.queries.watched(by: watcher, after: after)
            reply.lost = lost.take()
            try await call.send(page: reply, on: engine.loop)
            after = next
        } while after != nil
    }

    private func log(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Log.self)
        if let id = parameters.id { return try await engine.log(id: id).reply }
        var left = parameters.limit ?? Int.max
        var before = parameters.before
        while true {
            var page = try await engine.log(before: before, limit: min(left, Self.generationsPerPage))
            left -= page.generations.count
            let next = call.more && left > 0 ? page.next : nil
            if next != nil { page.next = nil }
            let reply = try await worker.run(about: page.generations.reduce(0) { $0 + $1.changes.count }) {
                [page] in page.reply
            }
            guard let next else { return reply }
            try await call.send(reply)
            await engine.loop.yield()
            before = next
        }
    }

    private func diff(_ call: VarlinkCall) async throws -> VarlinkReply {
        let parameters = try call.parameters(of: SettingsInterface.Diff.self)
        let reply = try await engine.diff(from: parameters.from, to: parameters.to)
        return try await worker.run(about: reply.changes.count) { reply.reply }
    }

    /// The maximum number of generations in one reply: few, since each may have thousands of changes.
    private static let generationsPerPage = 16
}

extension SettingsEngine {
    /// Answers a call for the value of one path, as a reply; nil if it takes longer than others should wait.
    ///
    /// It is the most frequent call, so it copies no part of the state, and its variables are not kept in the frame of an
    /// asynchronous function: larger frames need more memory from the heap at each call.
    @inline(never)
    fileprivate func answer(
        _ parameters: SettingsInterface.Get.Parameters, reveal: Bool
    ) throws(APIError) -> VarlinkReply? {
        let path = try SettingPath(fromCaller: parameters.path)
        let (queries, isDefault) = (queries, parameters.asksForDefault ?? false)
        var isLarge = false
        let setting = queries.settings.value(at: path, skippingLarge: true, &isLarge)
        if isLarge { return nil }
        guard let setting else { throw queries.unknown(path) }
        return try queries.get(setting, reveal: reveal, default: isDefault).reply
    }
}
