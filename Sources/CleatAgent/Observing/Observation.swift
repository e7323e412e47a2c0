import CleatAPI
package import CleatIO
package import CleatObservers
package import Logging
import Synchronization
package import SystemPackage

/// The observers of the service, and the state that outlives a restart of the service: their last state is kept in the
/// runtime directory, so that changes during the restart are reported.
///
/// A new event source is a type that adopts `EventObserver`, and its entry in ``observers``: it is then run, saved,
/// listed to new subscribers, and shown by `cleat status` and `cleat doctor`.
package final class Observation: Sendable {
    private static let stateFile: FilePath.Component = "observers"
    /// The number of subjects that are listed before other tasks of the loop run.
    private static let pageSize = 64

    private let loop: EventLoop
    private let bus: EventBus
    private let log: Logger
    private let runtime: FilePath
    let deviceObserver: DeviceObserver
    let linkObserver: LinkObserver
    let inboxObserver: InboxObserver
    let appObserver: AppObserver
    let powerObserver: PowerObserver
    /// All observers, in the order in which they are listed and their changes are published.
    let observers: [any EventObserver]
    /// The errors with which observers have ended, by their names.
    private let failures = Mutex<[String: String]>([:])

    /// Subscribes to the kernel's events; ``run(started:)`` reads the present state.
    ///
    /// - Parameters:
    ///   - loop: The event loop that the observers run on.
    ///   - bus: The bus that events are published on.
    ///   - choice: The source of device events.
    ///   - libudev: Opens a source of libudev; nil if the program does not link it.
    ///   - runtime: The directory of files that do not outlive a boot.
    ///   - state: The directory of the file areas.
    ///   - hasInbox: False if the inbox is not made and not observed.
    ///   - log: The log that failures are written to.
    ///   - others: Further observers, which are listed after those of the service.
    ///   - pace: Waits until arrivals in the inbox can be processed.
    /// - Throws: `ObserverError` if a socket cannot be opened.
    package init(
        loop: EventLoop, bus: EventBus, choice: AgentConfiguration.DeviceSource, libudev: DeviceSourceOpener? = nil,
        runtime: FilePath, state: FilePath, hasInbox: Bool = true, log: Logger, others: [any EventObserver] = [],
        pace: @escaping InboxObserver.Pace
    ) throws {
        self.loop = loop
        self.bus = bus
        self.log = log
        self.runtime = runtime
        let sysfs = try Self.openSysfs(log)
        let power = PowerObserver(loop: loop, bus: bus, reader: PowerReader(sysfs))
        powerObserver = power
        deviceObserver = DeviceObserver(
            loop: loop, bus: bus,
            source: try choice.backend(hasLibudev: libudev != nil).open(on: loop, sysfs: sysfs, libudev: libudev),
            sysfs: sysfs, resynced: power.readAgain)
        linkObserver = try LinkObserver(loop: loop, bus: bus)
        inboxObserver = InboxObserver(loop: loop, bus: bus, base: state, pace: pace) { notice in
            log.log(level: notice.isProblem ? .warning : .notice, "\(notice)")
        }
        appObserver = AppObserver(loop: loop, bus: bus)
        let inbox: [any EventObserver] = hasInbox ? [inboxObserver] : []
        observers = [deviceObserver, linkObserver, powerObserver] + inbox + [appObserver] + others
        if hasInbox { makeInbox(below: state) }
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
                "no devices are reported: /sys cannot be opened (\(error)); mount it, then restart the service")
            // This directory has none of the lists that devices are found in.
            return try Sysfs(path: "/")
        }
    }

    /// Returns the observer whose events name a source; nil if no observer does.
    func observer(of source: EventSource) -> (any EventObserver)? {
        observers.first { $0.source == source }
    }

    /// Runs all observers until the task is cancelled, after reporting the changes since the service last ran.
    ///
    /// - Parameter started: Called once, when everything has been read for the first time and the changes have been
    ///   reported.
    package func run(started: @escaping @Sendable () -> Void) async {
        await withTaskGroup { group in
            for observer in observers {
                group.addTask { await self.run(observer) }
            }
            group.addTask {
                await self.publishSavedChanges()
                for observer in self.observers { await observer.waitUntilReady() }
                // Observers that end release the tasks that wait for them.
                if !Task.isCancelled { started() }
            }
        }
    }

    private func run(_ observer: any EventObserver) async {
        do {
            try await observer.run()
        } catch is CancellationError {
            return
        } catch {
            let failure = "the observer of \(observer.name) ended, and its events are not reported: \(error)"
            failures.withLock { $0[observer.name] = failure }
            log.error("\(failure)")
        }
    }

    /// Returns the problem that keeps an observer, or a part of what it follows, from being reported; nil if there is none.
    func problem(of observer: any EventObserver) async -> String? {
        if let failure = failures.withLock({ $0[observer.name] }) { return failure }
        return await observer.problem
    }

    private func publishSavedChanges() async {
        do {
            guard let bytes = try BoundedFile.read(runtime.appending(Self.stateFile), limit: ObserverState.limit)
            else { return }
            try await ObserverState(decoding: bytes).publishChanges(bootID: bus.bootID, to: observers)
        } catch {
            log.warning("changes made while the service was down are not reported: \(error)")
        }
    }

    /// The present state for the next start within this boot; nil while the observers are not ready.
    package var state: ObserverState? {
        get async { await ObserverState.current(bootID: bus.bootID, of: observers) }
    }

    /// Writes a state to a file.
    package func save(_ state: ObserverState?) {
        guard let state else { return }
        do {
            try BoundedFile.replace(runtime.appending(Self.stateFile), with: state.encoded())
        } catch {
            log.warning("the state of devices and links could not be saved: \(error)")
        }
    }

    // MARK: The present

    /// Returns the links sorted by name.
    func links() async -> [Link] {
        await linkObserver.waitUntilReady()
        return await linkObserver.links()
    }

    /// Returns one page of devices in the order of their paths, and the path to continue after.
    func devices(subsystem: String?, after: String?, limit: Int) async -> (devices: [Device], next: String?) {
        await deviceObserver.waitUntilReady()
        return await deviceObserver.devices(subsystem: subsystem, after: after, limit: limit)
    }

    /// Returns a page of the present subjects of a source.
    func inventory(of source: EventSource, after: String?) async -> InventoryPage {
        guard let observer = observers.first(where: { $0.source == source }) else { return InventoryPage() }
        return await observer.inventory(after: after, limit: Self.pageSize)
    }

    /// Returns the subjects of all observers, such as the present devices and links, as events with the action
    /// `present` and no number of their own, for a subscriber that starts without earlier events.
    func presentEvents(matching filter: EventFilter) async -> [Event] {
        let action = "present"
        let stamp = EventStamp.now()
        var events: [Event] = []
        for observer in observers where filter.sources?.contains(observer.source) ?? true {
            let source = observer.source
            var after: String?
            repeat {
                let page = await observer.inventory(after: after, limit: Self.pageSize)
                for (subject, properties) in page.items
                where filter.matches(source: source, action: action, subject: subject) {
                    events.append(
                        Event(
                            sequence: 0, source: source, action: action, subject: subject,
                            properties: properties.dictionary, time: stamp.time.description, bootID: bus.bootID,
                            bootTime: stamp.bootTime.milliseconds, synchronised: stamp.synchronised))
                }
                after = page.next
                await loop.yield()
            } while after != nil
        }
        return events
    }
}

extension AgentConfiguration.DeviceSource {
    /// The backend of this choice on this machine.
    fileprivate func backend(hasLibudev: Bool) -> DeviceBackend {
        switch self {
        case .automatic: .automatic(udevdRuns: Sysfs.udevd == .served, hasLibudev: hasLibudev)
        case .libudev: .libudev
        case .udevd: .udevdGroup
        case .kernel: .kernelGroup
        }
    }
}
