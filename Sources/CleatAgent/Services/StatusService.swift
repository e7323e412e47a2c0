import CleatAPI
import CleatHooks
import CleatIO
import CleatObservers
import CleatSettings
import CleatStore
package import CleatVarlink
import Synchronization
import SystemPackage

/// Implements `dev.cleat.Service`: the status of the service.
package final class StatusService: VarlinkService {
    /// The objects that the reply is taken from.
    struct Sources: Sendable {
        let started: WallTime
        let startedBoot: BootTime
        let paths: AgentPaths
        let engine: SettingsEngine
        let store: SettingsStore
        let bus: EventBus
        let observation: Observation
        let hooks: HookRunner
        let prober: ProbeRunner
        let files: FileAreas
        let writes: WriteLedger
        let doctor: Doctor
        let storeNotes: [String]
        let configurationProblem: @Sendable () -> String?
    }

    /// The server holds its services.
    private struct WeakServer {
        weak var server: VarlinkServer?
    }

    package let interface = InterfaceDescription(constant: ServiceInterface.idl)
    private let sources: Sources
    private let server = Mutex(WeakServer())

    init(sources: Sources) {
        self.sources = sources
    }

    /// Sets the server whose connections are counted; it is created after its services.
    func attach(_ server: VarlinkServer) {
        self.server.withLock { $0.server = server }
    }

    package func answer(_ call: VarlinkCall) async throws -> VarlinkReply {
        switch call.method {
        case "Status": try await status(for: call).reply
        case "Flash": await flash().reply
        case "Authenticate": try Self.authenticate(call).reply
        default: throw VarlinkError.methodNotImplemented("\(call.interface).\(call.method)")
        }
    }

    /// Proves another identity of the caller; every refused credential gets the same answer.
    static func authenticate(_ call: VarlinkCall) throws -> ServiceInterface.Authenticate.Reply {
        let parameters = try call.parameters(of: ServiceInterface.Authenticate.self)
        do throws(AuthenticationError) {
            let identity = try call.authenticate(parameters.method, parameters.credential)
            return .init(caller: Caller(identity, claim: call.claimedAddress))
        } catch {
            throw APIError.permissionDenied(
                message:
                    "\(error.rawValue); the connection keeps the identity of its process; connect again to try again")
        }
    }

    private func status(for call: VarlinkCall) async throws -> ServiceInterface.Status.Reply {
        let hasCounters = try call.parameters(of: ServiceInterface.Status.self).counters ?? true
        let server = server.withLock { $0.server }
        let connections = await server?.counters
        let memory = ProcessMemory.current()
        let settings = await sources.engine.settings
        let health = await sources.doctor.health()
        let reference = await sources.engine.reference
        let fileProblems = sources.files.problems.map(\.message)
        let probes = sources.prober.probes
        return ServiceInterface.Status.Reply(
            version: CleatVersion.text, instance: sources.bus.instance, pid: Int(ProcessSelf.pid),
            uid: Int(ProcessSelf.uid), started: sources.started.description,
            uptime: BootTime.now().duration(since: sources.startedBoot).milliseconds, store: reference.store,
            generation: reference.generation, stateDirectory: sources.paths.state.string,
            root: sources.paths.root?.string, settings: settings.committed.count,
            inactive: health.inactive,
            observers: await observers(),
            connections: connections?.active ?? 0,
            memoryPrivate: memory?.privateBytes, memoryPSS: memory?.proportionalBytes, threads: memory?.threads ?? 0,
            hooks: await sources.hooks.count, hookProblems: await sources.hooks.problems.count,
            configProblem: sources.configurationProblem(), storeNotes: sources.storeNotes,
            counters: hasCounters ? await counters(connections) : [], landlockABI: Landlock.current.abi,
            fileProblems: fileProblems.isEmpty ? nil : fileProblems, findings: health.findings,
            trial: await sources.engine.trialNotice,
            probes: probes.commands.isEmpty ? nil : Array(probes.commands.keys).sortedByBytes(),
            probeProblems: probes.problems.isEmpty ? nil : probes.problems.map(\.text),
            caller: Caller(call.identity, claim: call.claimedAddress))
    }

    private func flash() async -> ServiceInterface.Flash.Reply {
        let store = sources.store.statistics
        let own = Written(
            part: "store", bytes: store?.bytesWritten ?? 0, flushes: store?.syncs ?? 0,
            totalBytes: store?.totalBytesWritten ?? 0, totalFlushes: store?.totalSyncs ?? 0)
        let (since, others) = sources.writes.written
        return .init(
            uptime: BootTime.now().duration(since: sources.startedBoot).milliseconds, since: since,
            written: [own] + others, device: BlockDevice.of(sources.paths.state))
    }

    private func observers() async -> [Observer] {
        var observers: [Observer] = []
        for observer in sources.observation.observers {
            observers.append(
                Observer(
                    source: observer.source.rawValue, name: observer.name, summary: await observer.summary,
                    problem: await sources.observation.problem(of: observer)))
        }
        return observers
    }

    private func counters(_ connections: VarlinkServer.Counters?) async -> [Counter] {
        var counters = [
            ("connections.accepted", connections?.accepted ?? 0), ("connections.refused", connections?.refused ?? 0),
            ("connections.malformed", connections?.malformed ?? 0), ("connections.stalled", connections?.stalled ?? 0),
            ("calls", connections?.calls ?? 0), ("events", Int(sources.bus.lastSequence)),
            ("events.lost", sources.bus.lost),
        ].map { Counter(name: $0.0, value: Int64($0.1)) }
        for observer in sources.observation.observers { counters += await observer.counters }
        counters += await sources.hooks.totals
        if let store = sources.store.statistics {
            counters += [
                Counter(name: "store.commits", value: store.commits),
                Counter(name: "store.bytes_written", value: store.bytesWritten),
                Counter(name: "store.syncs", value: store.syncs),
                Counter(name: "store.total_bytes_written", value: store.totalBytesWritten),
                Counter(name: "store.total_syncs", value: store.totalSyncs),
                Counter(name: "store.file_bytes", value: store.fileBytes),
                Counter(name: "store.log_bytes", value: store.logBytes),
                Counter(name: "store.history_generations", value: Int64(store.generations)),
                Counter(name: "store.history_bytes", value: store.historyBytes),
            ]
        }
        return counters
    }
}

extension Caller {
    /// Describes a proved identity, and the address that the client's SSH session claims.
    init(_ identity: ClientIdentity, claim: String?) {
        self.init(uid: Int(identity.uid), name: identity.name, proof: identity.proof, claimedAddress: claim)
    }
}
