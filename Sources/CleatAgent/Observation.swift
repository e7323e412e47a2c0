import CleatAPI
package import CleatIO
package import CleatObservers
package import Logging
package import SystemPackage

/// The observers of devices, links and the inbox, and the state that outlives a restart of the service: their last
/// state is kept in the runtime directory, so that changes during the restart are reported.
package final class Observation: Sendable {
    private static let stateFile: FilePath.Component = "observers"

    private let loop: EventLoop
    private let bus: EventBus
    private let log: Logger
    private let runtime: FilePath
    let deviceObserver: DeviceObserver
    let linkObserver: LinkObserver
    let inboxObserver: InboxObserver

    /// Subscribes to the kernel's events; ``run(started:)`` reads the present state.
    ///
    /// - Parameters:
    ///   - loop: The event loop that the observers run on.
    ///   - bus: The bus that events are published on.
    ///   - choice: The source of device events.
    ///   - runtime: The directory of files that do not outlive a boot.
    ///   - state: The directory of the file areas.
    ///   - log: The log that failures are written to.
    ///   - pace: Waits until arrivals in the inbox can be processed.
    /// - Throws: `ObserverError` if a socket cannot be opened.
    package init(
        loop: EventLoop, bus: EventBus, choice: AgentConfiguration.DeviceSource, runtime: FilePath, state: FilePath,
        log: Logger, pace: @escaping InboxObserver.Pace
    ) throws {
        self.loop = loop
        self.bus = bus
        self.log = log
        self.runtime = runtime
        let sysfs = try Self.openSysfs(log)
        let backend: DeviceBackend =
            switch choice {
            case .automatic: .automatic(udevdRuns: FileMoves.exists(Sysfs.udevControl))
            case .libudev: .libudev
            case .udevd: .udevdGroup
            case .kernel: .kernelGroup
            }
        deviceObserver = DeviceObserver(
            loop: loop, bus: bus, source: try backend.open(on: loop, sysfs: sysfs), sysfs: sysfs)
        linkObserver = try LinkObserver(loop: loop, bus: bus)
        inboxObserver = InboxObserver(loop: loop, bus: bus, base: state, pace: pace) { notice in
            log.log(level: notice.isProblem ? .warning : .notice, "\(notice)")
        }
        makeInbox(below: state)
    }

    /// Creates the inbox directory; if that fails, the observer waits for it.
    private func makeInbox(below state: FilePath) {
        let path = inboxObserver.path
        do {
            if let link = FileMoves.link(below: state, on: path) {
                return log.error("\(link) is a symbolic link, so there is no inbox; put a directory in its place")
            }
            try FileMoves.makeDirectories(path, mode: 0o750)
        } catch {
            log.error("the inbox \(path) cannot be made: \(error); make it, and files that arrive in it are reported")
        }
    }

    /// Opens sysfs; if there is none, the service runs without devices.
    private static func openSysfs(_ log: Logger) throws -> Sysfs {
        do {
            return try Sysfs()
        } catch {
            log.error(
                "there are no devices to be seen: /sys cannot be opened (\(error)); mount it, then restart the service")
            // This directory has none of the lists that devices are found in.
            return try Sysfs(path: "/")
        }
    }

    /// Follows devices, links and the inbox until the task is cancelled, after reporting the changes since the service
    /// last ran.
    ///
    /// - Parameter started: Called once, when everything has been read for the first time and the changes have been
    ///   reported.
    package func run(started: @escaping @Sendable () -> Void) async {
        await withTaskGroup { group in
            group.addTask { await self.report("devices") { try await self.deviceObserver.run() } }
            group.addTask { await self.report("links") { try await self.linkObserver.run() } }
            group.addTask { await self.report("files that arrive") { try await self.inboxObserver.run() } }
            group.addTask {
                await self.tellWhatChanged()
                await self.settled()
                await self.inboxObserver.settled()
                // Observers that end release the tasks that wait for them.
                if !Task.isCancelled { started() }
            }
        }
    }

    private func report(_ what: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch is CancellationError {
            return
        } catch {
            log.error("\(what) are no longer followed: \(error)")
        }
    }

    private func tellWhatChanged() async {
        let state: ObserverState
        do {
            guard let bytes = try BoundedFile.read(runtime.appending(Self.stateFile), limit: ObserverState.limit)
            else { return }
            state = try ObserverState(decoding: bytes)
        } catch {
            log.warning("changes made while the service was down are not reported: \(error)")
            return
        }
        await settled()
        await state.tellChanges(bootID: bus.bootID, devices: deviceObserver, links: linkObserver)
    }

    /// Waits until devices and links have been read for the first time.
    func settled() async {
        await deviceObserver.settled()
        await linkObserver.settled()
    }

    /// Writes the present state to a file, for the next start within this boot.
    package func save() async {
        // If they end before the first read is complete, the observers know less than the existing file.
        guard await deviceObserver.hasSettled, await linkObserver.hasSettled else { return }
        let state = await ObserverState.current(bootID: bus.bootID, devices: deviceObserver, links: linkObserver)
        do {
            try BoundedFile.replace(runtime.appending(Self.stateFile), with: state.encoded())
        } catch {
            log.warning("the state of devices and links could not be kept: \(error)")
        }
    }

    // MARK: The present

    /// The source that device events come from.
    package var backend: DeviceBackend { deviceObserver.backend }

    /// Returns the links sorted by name.
    func links() async -> [Link] {
        await linkObserver.settled()
        return await linkObserver.links()
    }

    /// Returns one page of devices in the order of their paths, and the path to continue after.
    func devices(subsystem: String?, after: String?, limit: Int) async -> (devices: [Device], next: String?) {
        await deviceObserver.settled()
        return await deviceObserver.devices(subsystem: subsystem, after: after, limit: limit)
    }

    /// Returns the present devices and links, as events with the action `present` and no number of their own, for an
    /// observer that starts without earlier events.
    func presentEvents(matching filter: EventFilter) async -> [Event] {
        let action = "present"
        let stamp = EventStamp.now()
        var events: [Event] = []
        func add(_ source: EventSource, _ subject: String, _ properties: [String: String]) {
            guard filter.matches(source: source, action: action, subject: subject) else { return }
            events.append(
                Event(
                    sequence: 0, source: source, action: action, subject: subject, properties: properties,
                    time: stamp.time.description, bootID: bus.bootID, bootTime: stamp.bootTime.milliseconds,
                    synchronised: stamp.synchronised))
        }
        var after: String?
        repeat {
            let page = await devices(subsystem: nil, after: after, limit: 64)
            for device in page.devices { add(.device, device.devpath, device.properties) }
            after = page.next
            await loop.yield()
        } while after != nil
        await linkObserver.settled()
        for link in await linkObserver.table.sorted { add(.link, link.name, link.properties.dictionary) }
        return events
    }
}
