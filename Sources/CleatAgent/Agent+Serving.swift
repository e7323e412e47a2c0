import CleatAPI
import CleatHooks
import CleatIO
import CleatObservers
import CleatVarlink
import Logging
import Synchronization

extension Agent {
    /// How many events may wait to be matched with hooks.
    private static let hookEventBuffer = 8_192

    /// Serves clients, follows events and runs hooks until a signal ends it; says READY once all of that has begun.
    func run(_ parts: AgentParts, _ signals: SignalSequence, generation: Int64) async throws {
        var failure: (any Error)?
        let events = parts.bus.subscribe(buffer: Self.hookEventBuffer)
        let importer = makeImporter(
            parts.engine, parts.bus, parts.files, parts.observation.inboxObserver)
        let arrivals = importer.subscribe()
        let interfaces = await interfaceArrivals(parts)
        await withTaskGroup(of: End?.self) { group in
            group.addTask(executorPreference: loop) {
                await parts.observation.run { self.pages.touched() }
                return nil
            }
            group.addTask(executorPreference: loop) {
                await self.feed(parts.hooks, from: events); return nil
            }
            group.addTask(executorPreference: loop) {
                await importer.run(arrivals); return nil
            }
            if let (follower, appeared) = interfaces {
                group.addTask(executorPreference: loop) {
                    await follower.run(appeared); return nil
                }
            }
            group.addTask(executorPreference: loop) { await self.accept(parts) }
            group.addTask(executorPreference: loop) {
                await self.beatWatchdog(); return nil
            }
            group.addTask(executorPreference: loop) { await self.obey(signals, parts, importer) }

            // The start has touched most of the program, and what follows needs little of that.
            Self.releasePages(log)
            notify.ready(status: "Serving \(paths.socket)")
            log.notice("cleatd \(CleatVersion.text) serves \(paths.socket), generation \(generation)")
            for await end in group {
                guard let end else { continue }
                if case .failed(let error) = end { failure = error }
                break
            }

            notify.stopping()
            // New clients are turned away before anything else ends, so that nobody is answered by half a service.
            parts.listener.close()
            group.cancelAll()
            await parts.hooks.shutdown()
        }
        await parts.engine.stop()
        await parts.upkeep.stop()
        await parts.observation.save()
        parts.bus.close()
        if let failure { throw failure }
    }

    /// What configures interfaces that appear, and what it hears; nil where that is somebody else's affair.
    private func interfaceArrivals(_ parts: AgentParts) async -> (InterfaceArrivals, EventSubscription)? {
        guard await parts.engine.configuresInterfaces else { return nil }
        let arrivals = InterfaceArrivals(
            engine: parts.engine, bus: parts.bus, links: parts.observation.linkObserver, log: log)
        return (arrivals, arrivals.subscribe())
    }

    /// Waits for the signal that ends the service; reloads on SIGHUP.
    private func obey(
        _ signals: SignalSequence, _ parts: AgentParts, _ importer: BundleImporter
    ) async -> End {
        do {
            for try await signal in signals {
                guard signal == .hangUp else { break }
                notify.reloading()
                loadConfiguration()
                let configuration = state.withLock { $0.configuration }
                await parts.server.setStallLimit(configuration.stallTimeout)
                parts.files.setQuotas(configuration.quotas)
                await parts.hooks.reload(await loadHooks(), concurrency: configuration.hookConcurrency)
                parts.prober.reload(loadProbes())
                await reloadSources(parts.engine)
                // What arrived when the rules were others, or could not be read; the next signal does not wait for it.
                loop.task(name: "imports of the reload") { await importer.takeAll() }
                log.notice("configuration, hooks, probes, schemas, defaults and locks have been read again")
                notify.ready()
                pages.touched()
            }
            return .asked
        } catch {
            return .failed(FileError(description: "signals can no longer be heard: \(error)"))
        }
    }

    private func feed(_ hooks: HookRunner, from events: EventSubscription) async {
        while let delivery = await events.next() {
            pages.touched()
            switch delivery {
            case .event(let event): await hooks.handle(event)
            case .lost(let count): log.warning("\(count) events came faster than hooks could be matched and were lost")
            }
        }
    }

    /// Serves clients; a service that nobody can reach any more ends, for its manager to start it anew.
    private func accept(_ parts: AgentParts) async -> End? {
        do {
            try await parts.server.serve(parts.listener)
            return nil
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(FileError(description: "no more clients can be accepted: \(error)"))
        }
    }

    /// Tells the service manager that the loop turns, at half of the time after which it would lose patience.
    private func beatWatchdog() async {
        guard let interval = notify.watchdogInterval else { return }
        while (try? await loop.sleep(for: interval / 2)) != nil {
            notify.watchdog()
        }
    }
}

/// What ends the service.
private enum End: Sendable {
    case asked
    case failed(any Error)
}

/// What lives for as long as the service serves.
struct AgentParts: Sendable {
    let bus: EventBus
    let engine: SettingsEngine
    let observation: Observation
    let hooks: HookRunner
    let prober: ProbeRunner
    let files: FileAreas
    let server: VarlinkServer
    let listener: UnixListener
    let upkeep: StoreUpkeep
}
