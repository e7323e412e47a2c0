import CleatSettings
import Synchronization

/// The changes that one watcher of settings has not yet received.
///
/// It holds paths, not values: a slow watcher gets a path that changed often only once, with the value in force then,
/// and the number of commits that the notice covers. So it never grows past the number of paths, and the small reply
/// that it may share with others.
package final class SettingsWatcher: Sendable {
    /// The changes since the last notice.
    package struct Notice {
        /// The paths that changed; nil if there were so many that the whole state is sent again.
        var paths: Set<SettingPath>?
        /// The number of commits that it covers, at least one.
        var commits: Int
        /// The place for the reply to this change, if the notice has one change and all of its paths.
        var replies: ChangeReplies?
    }

    /// More changed paths than this are sent as the whole state.
    private static let pathLimit = 1_024

    private struct State {
        var notice: Notice?
        var waiter: CheckedContinuation<Void, Never>?
        var finished = false
    }

    /// The prefixes that are watched; empty for everything.
    let prefixes: [SettingPath]
    private let state = Mutex(State())

    init(prefixes: [SettingPath]) {
        self.prefixes = prefixes
    }

    /// Returns true if a path is one of those that are watched.
    func covers(_ path: SettingPath) -> Bool {
        prefixes.isEmpty || prefixes.contains { $0.isPrefix(of: path) }
    }

    /// Records the paths that a change touched, with the place for the reply.
    func note(_ paths: [SettingPath], _ replies: ChangeReplies) {
        let touched = paths.filter(covers)
        guard !touched.isEmpty else { return }
        let waiter = state.withLock { state in
            let isAll = state.notice == nil && touched.count == paths.count
            var notice = state.notice ?? Notice(paths: [], commits: 0)
            notice.commits += 1
            notice.replies = isAll ? replies : nil
            notice.paths?.formUnion(touched)
            if let count = notice.paths?.count, count > Self.pathLimit { notice.paths = nil }
            state.notice = notice
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits until something has changed; returns nil if the watcher is finished or its task cancelled.
    package func next() async -> Notice? {
        while true {
            let (notice, finished) = state.withLock { state in (state.notice.take(), state.finished) }
            if let notice { return notice }
            if finished || Task.isCancelled { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.notice != nil || state.finished || Task.isCancelled { return true }
                        state.waiter = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.waiter.take() }?.resume()
            }
        }
    }

    /// Ends the watch.
    func finish() {
        state.withLock { state in
            state.finished = true
            return state.waiter.take()
        }?.resume()
    }
}

/// The watchers of settings.
struct WatcherRegistry {
    private var watchers: [ObjectIdentifier: SettingsWatcher] = [:]
    private var isFinished = false

    /// Starts a watch; end it with ``remove(_:)``.
    mutating func add(_ prefixes: [SettingPath]) -> SettingsWatcher {
        let watcher = SettingsWatcher(prefixes: prefixes)
        if isFinished { watcher.finish() } else { watchers[ObjectIdentifier(watcher)] = watcher }
        return watcher
    }

    /// Ends a watch.
    mutating func remove(_ watcher: SettingsWatcher) {
        watchers[ObjectIdentifier(watcher)] = nil
        watcher.finish()
    }

    /// Ends all watches, and those that are started later.
    mutating func finish() {
        isFinished = true
        for watcher in watchers.values { watcher.finish() }
        watchers = [:]
    }

    /// Notifies the watchers of changed paths.
    func notify(_ paths: [SettingPath]) {
        let replies = ChangeReplies()
        for watcher in watchers.values { watcher.note(paths, replies) }
    }
}
