internal import CleatAPI
internal import CleatSandbox
internal import SystemPackage

/// The limits of the inbox observer.
package struct InboxLimits: Sendable, Equatable {
    /// The largest number of watched directories, including the inbox itself.
    package var directories = 256
    /// The largest number of remembered files; a further file may be published twice after events were lost.
    package var remembered = 131_072
    /// The number of events, and of names, that are handled before other tasks of the loop run.
    package var slice = 32
    /// The number of bytes of events in one read(2).
    package var readBytes = 16 * 1_024
    /// The number of refused names that are logged; further ones are only counted.
    package var refusalsLogged = 16
    /// The time between a scan and the second scan of files that were being written.
    ///
    /// The second scan finds a file whose writer's close came before the watch but took effect only after the first
    /// scan. For the same time an empty file counts as about to be written by the process that created it.
    package var secondScan = Duration.seconds(5)
    /// The pause before a queue that the kernel refused for a shortage is opened again; it doubles, up to
    /// ``longestPause``.
    package var firstPause = Duration.seconds(1)
    /// The longest pause before such a queue is opened again.
    package var longestPause = Duration.seconds(60)

    /// Makes the default limits.
    package init() {}
}

/// The counters of the inbox observer.
package struct InboxCounters: Sendable, Equatable {
    /// Files that were published.
    package var arrived = 0
    /// Files and directories that were not published because of their names.
    package var refused = 0
    /// Directories that were not watched because of a limit or an error.
    package var unwatched = 0
    /// The number of times that the kernel's queue was full, so that everything was scanned again.
    package var overflows = 0
    /// Files that were not remembered because the limit was reached.
    package var unremembered = 0
    /// Directories that are watched.
    package var directories = 0
}

/// The state of the inbox observer.
package enum InboxState: Sendable, Equatable, CustomStringConvertible {
    /// No directory was scanned yet.
    case starting
    /// Arrivals are published.
    case watching(directories: Int)
    /// The inbox, whose path this is, or a directory above it is missing or not a directory; the observer waits for it.
    case waiting(String)
    /// Arrivals are not published, for this reason.
    case off(String)

    /// A short description for `cleat status`.
    package var description: String {
        switch self {
        case .starting: "starting"
        case .watching(let count): "inotify, \(count) director\(count == 1 ? "y" : "ies")"
        case .waiting(let path): "waiting for \(path) to exist again"
        case .off(let reason): "off: \(reason)"
        }
    }
}

/// A message about the inbox for the log.
package struct InboxNotice: Sendable, Equatable, CustomStringConvertible {
    /// True if it reports a problem.
    package let isProblem: Bool
    /// The message: one sentence.
    package let description: String
}

/// Publishes the files that have arrived, and reports problems to the log and the status.
struct InboxReporter {
    let bus: EventBus
    /// The path of the inbox.
    let path: FilePath
    /// The number of refused names that are logged; further ones are only counted.
    let refusalsLogged: Int
    let notify: @Sendable (InboxNotice) -> Void
    var counters = InboxCounters()
    /// The latest problem that keeps part of the inbox from being followed, as one sentence; nil if there is none.
    private(set) var problem: String?

    init(bus: EventBus, path: FilePath, refusalsLogged: Int, notify: @escaping @Sendable (InboxNotice) -> Void) {
        self.bus = bus
        self.path = path
        self.refusalsLogged = refusalsLogged
        self.notify = notify
    }

    /// Publishes the arrival of a file.
    mutating func publish(_ file: String, _ entry: InboxEntry, _ reason: InboxReason) {
        counters.arrived += 1
        var properties: PropertyBlock = [
            "AREA": Area.inbox.rawValue, "PATH": file, "FILE": path.string + "/" + file, "SIZE": String(entry.size),
            "LINKS": String(entry.links),
        ]
        if reason == .overflow { properties.append("CLEAT_RESYNC", "1") }
        bus.publish(
            EventDraft(
                source: .file, action: "arrived", subject: file, properties: properties, restored: reason == .start))
    }

    /// Counts a name that is not published, and logs it if there were few so far.
    mutating func refuse(_ shown: String) {
        counters.refused += 1
        if counters.refused > refusalsLogged { return }
        let more = counters.refused == refusalsLogged ? "; further ones are only counted" : ""
        log(
            "\(shown) in the inbox is not reported: names are UTF-8 without control characters, paths at most "
                + "\(SandboxPath.bytesLimit) bytes; rename it\(more)", isProblem: true)
    }

    /// Sets the problem that the status shows, and logs it if there was none before.
    mutating func report(problem text: String) {
        if problem == nil { log(text, isProblem: true) }
        problem = text
    }

    /// Forgets the problem; a scan of everything reports it again if it persists.
    mutating func clearProblem() {
        problem = nil
    }

    /// Sends a message to the log.
    func log(_ text: String, isProblem: Bool) {
        notify(InboxNotice(isProblem: isProblem, description: text))
    }
}

/// The reason for a scan of a file or directory; it determines the mark of the published event.
enum InboxReason: Sendable {
    /// The service is starting.
    case start
    /// The directory is new.
    case appeared
    /// Events were lost.
    case overflow
    /// A file was being written at the last scan.
    case secondScan
}
