import CleatAPI
import CleatHooks
import CleatIO
import CleatObservers
import CleatSettings
import CleatStore
import CleatVarlink
import Logging
import Synchronization
import SystemPackage

extension Agent {
    /// The maximum number of events that wait to be matched with hooks.
    private static let hookEventBuffer = 8_192

    /// Serves clients, follows events and runs hooks until a signal ends it, a mount, or damage in the store; sends
    /// READY=1 once all of that has started.
    ///
    /// - Returns: The reason of the end.
    /// - Throws: The failure that has ended it.
    func run(
        _ parts: AgentParts, _ server: VarlinkServer, _ listener: UnixListener, _ signals: SignalSequence,
        wasReadOnly: Bool
    ) async throws -> Ending {
        let generation = await parts.engine.reference.generation
        var end = End.expected(.asked)
        let awaitsWriting = await parts.store.opening.fallback?.awaitsWriting == true && wasReadOnly
        let events = parts.bus.subscribe(buffer: Self.hookEventBuffer)
        let importer = BundleImporter(
            engine: parts.engine, bus: parts.bus, files: parts.areas, log: log, inbox: parts.observation.inboxObserver
        ) { [configuration] in configuration.current.imports }
        let arrivals = importer.subscribe()
        let interfaces = InterfaceArrivals(
            engine: parts.engine, bus: parts.bus, links: parts.observation.linkObserver, log: log)
        let appeared = interfaces.subscribe()
        parts.reloader.attach { await self.reload(parts, server, listener, importer) }
        await parts.observation.powerObserver.setHooks(nameSource: await parts.hooks.nameSource(.power))
        let backlog = HookBacklogFile(directory: paths.runtime, bootID: parts.bus.bootID)
        var left: (observed: ObserverState?, pending: [PendingHookEvent]) = (nil, [])
        await withTaskGroup(of: End?.self) { group in
            // It is the first work of the store's thread once clients are served; they are served meanwhile.
            if parts.isCheckDue {
                group.addTask(executorPreference: loop) { await self.check(parts.engine) }
            }
            group.addTask(executorPreference: loop) {
                await parts.observation.run { self.pages.touched() }
                return nil
            }
            group.addTask(executorPreference: loop) {
                await self.feed(parts.hooks, from: events); return nil
            }
            group.addTask(executorPreference: loop) {
                await interfaces.run(appeared); return nil
            }
            group.addTask(executorPreference: loop) {
                await self.takeEvents(parts, from: backlog); return nil
            }
            group.addTask(executorPreference: loop) { await self.accept(server, listener) }
            group.addTask(executorPreference: loop) { await self.handle(signals, parts.reloader) }
            if board.missingMount != nil || awaitsWriting {
                group.addTask(executorPreference: loop) {
                    awaitsWriting ? await self.awaitWriting() : await self.awaitMount()
                }
                group.addTask(executorPreference: loop) { await self.followMounts() }
            }
            if board.missingMount == nil {
                group.addTask(executorPreference: loop) {
                    await importer.run(arrivals); return nil
                }
            }

            // Startup has touched most of the program, and what follows needs little of that.
            ProgramPages.release(log)
            notify.ready(status: "Serving \(paths.socket)")
            loop.task(name: "note of the release") { await parts.upkeep.noteRelease() }
            log.notice("cleatd \(CleatVersion.text) serves \(paths.socket), generation \(generation)")
            for await next in group {
                guard let next else { continue }
                end = next
                break
            }

            if end.isRestart { notify.reloading() } else { notify.stopping() }
            // New clients are refused before anything else ends, so that no client is answered by half a service.
            listener.close()
            // The next start finds the changes after this state; events from before it are put into the queue of hooks.
            left.observed = await parts.observation.state
            while let delivery = events.nextNow() {
                if case .event(let event) = delivery { await parts.hooks.handle(event) }
            }
            parts.reloader.attach(nil)
            board.programs.end()
            group.cancelAll()
            left.pending = await parts.hooks.shutdown()
            // A signal that ends the service may have come together with the mount.
            for await next in group {
                if case .expected(.asked)? = next { end = .expected(.asked) }
            }
        }
        await parts.engine.stop()
        await parts.upkeep.save()
        await parts.upkeep.stop()
        save(parts, left, in: backlog)
        parts.bus.close()
        switch end {
        case .expected(let ending): return ending
        case .failed(let error): throw error
        }
    }

    /// Queues the events that an earlier run of the service has left.
    private func takeEvents(_ parts: AgentParts, from backlog: HookBacklogFile) async {
        do {
            await parts.hooks.restore(try backlog.take())
        } catch {
            log.warning("events that hooks had not acted on before the restart are lost: \(error)")
        }
    }

    private func save(
        _ parts: AgentParts, _ left: (observed: ObserverState?, pending: [PendingHookEvent]),
        in backlog: HookBacklogFile
    ) {
        parts.observation.save(left.observed)
        do {
            try backlog.save(left.pending)
        } catch {
            log.warning("the events that hooks have not acted on could not be saved: \(error)")
        }
    }

    /// Waits until the file system of the store is mounted, or the configuration requires it no more.
    private func awaitMount() async -> End? {
        // If it waits for something else now, it starts again, too: its answers name what is missing.
        while let missing = board.findMissingMount(), missing == board.missingMount {
            notify.status("Waiting for a mount: \(missing)")
            guard (try? await mountAlarm.wait()) != nil else { return nil }
        }
        log.notice(
            "the mounts for the store, or the configuration that names them, have changed; the service starts again")
        return .expected(.mounted)
    }

    /// Waits until the file system of the store is writable.
    private func awaitWriting() async -> End? {
        while FileMoves.isReadOnly(paths.state) {
            notify.status("Waiting until the file system of \(paths.state) is writable")
            guard (try? await mountAlarm.wait()) != nil else { return nil }
        }
        log.notice("the file system of the store is writable; the service starts again")
        return .expected(.mounted)
    }

    /// Rings for each change of the mounts, which the kernel reports. proc_pid_mounts(5)
    private func followMounts() async -> End? {
        do {
            let list = try FileDescriptor.open(MountTable.path, .readOnly, options: .closeOnExec)
            defer { try? list.close() }
            let changes = try loop.register(list)
            defer { changes.close() }
            while true {
                // Also for a change from before the list was opened, which the kernel does not report.
                mountAlarm.ring()
                try await changes.readable()
            }
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(FileError(description: "changes of the mounts cannot be followed: \(error)"))
        }
    }

    /// Checks the store, and logs what is wrong; a damaged one ends this run, since only an opening can repair it.
    private func check(_ engine: SettingsEngine) async -> End? {
        do {
            try await engine.checkStore()
        } catch {
            log.error("\(error)")
            if (error as? StoreError)?.code == .corrupt { return .expected(.damaged) }
        }
        return nil
    }

    /// Waits for the signal that ends the service; reloads on SIGHUP.
    private func handle(_ signals: SignalSequence, _ reloader: Reloader) async -> End {
        do {
            for try await signal in signals {
                guard signal == .hangUp else { break }
                try await reloader.reload()
            }
            return .expected(.asked)
        } catch {
            return .failed(FileError(description: "signals can no longer be received: \(error)"))
        }
    }

    /// Reads the board's files again, and applies them.
    private func reload(
        _ parts: AgentParts, _ server: VarlinkServer, _ listener: UnixListener, _ importer: BundleImporter
    ) async {
        notify.reloading()
        configuration.load()
        mountAlarm.ring()
        socket.reload(listener)
        let current = configuration.current
        await server.setStallLimit(current.stallTimeout)
        parts.areas.setQuotas(current.quotas)
        await parts.hooks.reload(await board.loadHooks(), concurrency: current.hookConcurrency)
        await parts.observation.powerObserver.setHooks(nameSource: await parts.hooks.nameSource(.power))
        parts.prober.reload(board.loadProbes())
        await reloadSources(parts.engine)
        // Files may have arrived under other rules, or under unreadable ones; the next reload does not wait for them.
        if board.missingMount == nil {
            loop.task(name: "imports of the reload") { await importer.takeAll() }
        }
        log.notice("configuration, tokens, hooks, probes, schemas, defaults, locks and adapters have been read again")
        notify.ready()
        pages.touched()
    }

    /// Reads the board's files again, and applies them to the settings.
    private func reloadSources(_ engine: SettingsEngine) async {
        guard let loaded = await board.reloadSources(on: worker) else { return }
        await engine.reload(loaded.sources, adapters: board.adapters(of: loaded), isComplete: loaded.isComplete)
        log(await engine.status)
        logInactive(await engine.settings)
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

    /// Serves clients; a service that can accept no more of them ends, so that its manager restarts it.
    private func accept(_ server: VarlinkServer, _ listener: UnixListener) async -> End? {
        do {
            try await server.serve(listener)
            return nil
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(FileError(description: "no more clients can be accepted: \(error)"))
        }
    }

    /// Sends WATCHDOG=1 to the service manager at half of the watchdog interval, as a sign that the loop runs.
    func beatWatchdog() async {
        guard let interval = notify.watchdogInterval else { return }
        while (try? await loop.sleep(for: interval / 2)) != nil {
            notify.watchdog()
        }
    }
}

/// The reason for the end of the service.
private enum End: Sendable {
    case expected(Agent.Ending)
    case failed(any Error)

    /// True if another run follows.
    var isRestart: Bool {
        guard case .expected(let ending) = self else { return false }
        return ending != .asked
    }
}
