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

    /// Serves clients, follows events and runs hooks until a signal or a mount ends it; sends READY=1 once all of that
    /// has started.
    ///
    /// - Returns: True if the file system was mounted that the store waited for.
    /// - Throws: The failure that has ended it.
    func run(
        _ parts: AgentParts, _ server: VarlinkServer, _ listener: UnixListener, _ signals: SignalSequence
    ) async throws -> Bool {
        let generation = await parts.engine.reference.generation
        var ending = End.asked
        let awaitsWriting =
            await parts.store.opening.fallback?.awaitsWriting == true && FileMoves.isReadOnly(paths.state)
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
        // It is the first work of the store's thread once clients are served; they are served meanwhile.
        let check = parts.isCheckDue ? loop.task(name: "check of the store") { await self.check(parts.engine) } : nil
        defer { check?.cancel() }
        await withTaskGroup(of: End?.self) { group in
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
            for await end in group {
                guard let end else { continue }
                ending = end
                break
            }

            if case .mounted = ending { notify.reloading() } else { notify.stopping() }
            // New clients are refused before anything else ends, so that no client is answered by half a service.
            listener.close()
            parts.reloader.attach(nil)
            board.programs.end()
            group.cancelAll()
            await parts.hooks.shutdown()
            // A signal that ends the service may have come together with the mount.
            for await end in group {
                if case .asked? = end { ending = .asked }
            }
        }
        await parts.engine.stop()
        await parts.upkeep.save()
        await parts.upkeep.stop()
        await parts.observation.save()
        parts.bus.close()
        switch ending {
        case .asked: return false
        case .mounted: return true
        case .failed(let error): throw error
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
        return .mounted
    }

    /// Waits until the file system of the store is writable.
    private func awaitWriting() async -> End? {
        while FileMoves.isReadOnly(paths.state) {
            notify.status("Waiting until the file system of \(paths.state) is writable")
            guard (try? await mountAlarm.wait()) != nil else { return nil }
        }
        log.notice("the file system of the store is writable; the service starts again")
        return .mounted
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

    /// Checks the store, and logs what is wrong.
    private func check(_ engine: SettingsEngine) async {
        do {
            try await engine.checkStore()
        } catch {
            log.error("\(error)")
        }
    }

    /// Waits for the signal that ends the service; reloads on SIGHUP.
    private func handle(_ signals: SignalSequence, _ reloader: Reloader) async -> End {
        do {
            for try await signal in signals {
                guard signal == .hangUp else { break }
                try await reloader.reload()
            }
            return .asked
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
    case asked
    case mounted
    case failed(any Error)
}
