import CleatAPI
import CleatFiles

extension ServiceArea: FilesWatching {
    /// The name of the area whose arrivals the service reports.
    private static let inbox = "inbox"

    /// Follows the files that are completely written into a directory of the inbox, by the events of the service.
    ///
    /// At most ``BoardEvents/buffer`` reports wait for a slow reader. After a restart of the service, and after reports
    /// were dropped, it yields `lost`.
    func arrivals(at path: FilesPath) async throws(FileFailure) -> FilesSequence<FilesArrival> {
        guard label == Self.inbox else {
            throw FileFailure(
                .unsupported, path: "\(path)", message: "the service reports no arrivals in the area \(label)",
                remedy: "follow the area \(Self.inbox), or list the directory")
        }
        guard try await attributes(at: path).type == .directory else {
            throw FileFailure(
                .notDirectory, path: "\(path)", message: "“\(path)” in \(label) is not a directory",
                remedy: "follow its directory")
        }
        let mailbox = Mailbox<BoardEvent?>(capacity: BoardEvents.buffer)
        let subscription = events.follow(
            EventQuery(filter: EventFilter(sources: [.file], action: Glob("arrived"))),
            EventSink(take: { mailbox.put($0) }, fail: { mailbox.fail($0) }))
        guard let first = try await next(mailbox, path) else {
            throw FileFailure(
                .cancelled, path: "\(path)", message: "the task was cancelled before “\(path)” in \(label) was followed"
            )
        }
        return FilesSequence {
            var isLost = first.dropped > 0
            var waiting: BoardEvent?
            return { () async throws(FileFailure) in
                while true {
                    if isLost {
                        isLost = false
                        return .lost
                    }
                    if let event = waiting {
                        waiting = nil
                        if let arrival = try await arrival(event, in: path) { return arrival }
                        continue
                    }
                    guard let (event, dropped) = try await next(mailbox, path) else { return nil }
                    withExtendedLifetime(subscription) {}
                    // No event: the service was restarted.
                    isLost = event == nil || dropped > 0 || event.map { $0.missed > 0 } ?? false
                    waiting = event
                }
            }
        }
    }

    private func next(
        _ mailbox: Mailbox<BoardEvent?>, _ path: FilesPath
    ) async throws(FileFailure) -> (element: BoardEvent?, dropped: Int)? {
        do throws(CleatError) {
            return try await mailbox.next()
        } catch {
            throw FileFailure(error, path, in: label)
        }
    }

    /// Returns the report for an event; nil if its file is not in the directory, or is not there any more.
    private func arrival(_ event: BoardEvent, in directory: FilesPath) async throws(FileFailure) -> FilesArrival? {
        let path: FilesPath
        do throws(FileFailure) {
            path = try FilesPath(event.subject)
        } catch {
            return .refused(error)
        }
        guard path.parent == directory else { return nil }
        do throws(FileFailure) {
            let attributes = try await attributes(at: path)
            return attributes.type == .regular ? .file(FilesEntry(path: path, attributes: attributes)) : nil
        } catch {
            switch error.code {
            case .notFound, .notDirectory: return nil
            // The sequence continues when the service answers again.
            case .unreachable, .timedOut: return .lost
            default: throw error
            }
        }
    }
}
