internal import CleatIO
internal import SystemPackage

/// The event queue of the inbox, and the markers in it. inotify(7)
///
/// A scan and the events of the same time report the same files. So a scanned directory is in doubt until the events of
/// that time have been read: until a marker that is put into the queue after the scan comes out of it. Meanwhile, an
/// event of a file that is unchanged since it was published is ignored. The marker is a watch that is added and removed
/// at once; the kernel puts the event of its end at the end of the queue.
struct InboxQueue {
    private let calls: any WatchCalls
    private let readBytes: Int
    private let owner: Descriptor
    private let markedDirectory: InboxDirectory
    private var events: ArraySlice<WatchEvent> = []
    /// The round of scans that each marker confirms, by its watch.
    private var markers: [Int32: UInt64] = [:]
    /// The round of the scans that have started since the last confirming marker.
    private(set) var round: UInt64 = 1
    /// The last round whose events have all been read.
    private(set) var confirmedRound: UInt64 = 0

    /// Opens a queue.
    init(calls: any WatchCalls, readBytes: Int) throws(Errno) {
        self.calls = calls
        self.readBytes = readBytes
        owner = Descriptor(owning: try calls.open())
        markedDirectory = try InboxDirectory(path: "/")
    }

    /// The descriptor; it is readable if there are events.
    var descriptor: FileDescriptor { owner.descriptor }

    /// True if all events that were read are handled and all markers have come out.
    var isIdle: Bool { events.isEmpty && markers.isEmpty }

    /// Watches a directory and returns the watch's number; a directory that is already watched keeps its number.
    func watch(_ directory: InboxDirectory, for events: WatchEvents) throws(Errno) -> Int32 {
        try calls.watch(directory.descriptor, for: events, in: owner.descriptor)
    }

    /// Ends a watch.
    func remove(_ watch: Int32) throws(Errno) {
        try calls.remove(watch, from: owner.descriptor)
    }

    /// Returns the next event; nil if there is none.
    mutating func next() throws(Errno) -> WatchEvent? {
        while events.isEmpty {
            guard let more = try calls.read(owner.descriptor, limit: readBytes) else { return nil }
            events = more[...]
        }
        return events.popFirst()
    }

    /// Puts a marker at the end of the queue; a confirming one ends the present round.
    mutating func putMarker(confirming: Bool) throws(Errno) {
        let watch = try watch(markedDirectory, for: .selfDeleted)
        markers[watch] = confirming ? round : 0
        if confirming { round += 1 }
        try remove(watch)
    }

    /// Handles an event of a marker; returns false for other events.
    mutating func handleMarker(_ event: WatchEvent) -> Bool {
        guard let round = markers[event.watch] else { return false }
        if event.events.contains(.ended) {
            markers[event.watch] = nil
            confirmedRound = max(confirmedRound, round)
        }
        return true
    }

    /// Forgets the markers, since their events may have been lost.
    mutating func forgetMarkers() {
        markers = [:]
    }

    /// Closes the queue.
    func close() {
        owner.close()
    }

    /// Returns true if an error of inotify is a shortage, which ends when other processes end or a limit is raised.
    static func isShortage(_ error: Errno) -> Bool {
        [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noSpace, .noMemory].contains(error)
    }

    /// Returns the remedy for an error of inotify.
    static func remedy(_ error: Errno) -> String {
        switch error {
        case .tooManyOpenFiles:
            "raise fs.inotify.max_user_instances, or the number of files that the service may open (LimitNOFILE of the unit)"
        case .tooManyOpenFilesInSystem: "raise fs.file-max"
        case .noSpace: "raise fs.inotify.max_user_watches"
        case .noMemory: "the machine has no memory left"
        case .noSuchFileOrDirectory: "check that the directory exists, and that /proc is mounted"
        default: "check its owner and mode, then start the service again"
        }
    }
}
