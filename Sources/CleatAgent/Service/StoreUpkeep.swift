import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore
import Logging

/// Keeps the store's second copy at most an hour old, and its history within the limits of the settings.
///
/// No timer runs while there is nothing to do: it is set by a commit and ends with the copy.
actor StoreUpkeep {
    private nonisolated let loop: EventLoop
    private let store: SettingsStore
    private let bootID: String
    /// Writes the counters of what is written, which are kept with the second copy.
    private let saveCounters: @Sendable () throws -> Void
    private let log: Logger
    private var limits = StoreLimits()
    private var timer: Task<Void, Never>?
    private var isStopped = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(
        loop: EventLoop, store: SettingsStore, bootID: String, log: Logger,
        saveCounters: @escaping @Sendable () throws -> Void
    ) {
        self.saveCounters = saveCounters
        self.loop = loop
        self.store = store
        self.bootID = bootID
        self.log = log
    }

    /// Applies the limits of the settings, and schedules the second copy.
    func follow(_ settings: LayeredSettings) async {
        var wanted = StoreLimits()
        if let generations = settings.integer(at: "agent/history/generations") { wanted.generations = Int(generations) }
        if let bytes = settings.byteCount(at: "agent/history/bytes") { wanted.historyBytes = bytes }
        if wanted != limits {
            do {
                try await store.setLimits(wanted)
                limits = wanted
            } catch {
                log.warning("the history keeps its former bounds: \(error)")
            }
        }
        // This may read the whole copy, and a start does not wait for it.
        loop.task(name: "plan of the second copy") { await self.plan() }
    }

    /// Writes the version of this release next to the store.
    func noteRelease() async {
        do {
            try await store.note(release: CleatVersion.text)
        } catch {
            log.warning("the version of this release was not noted next to the store: \(error)")
        }
    }

    /// Cancels the timer.
    func stop() {
        isStopped = true
        timer?.cancel()
        timer = nil
    }

    private func plan() async {
        guard timer == nil, !isStopped else { return }
        guard let delay = await store.copyDelay(bootID: bootID, bootTime: BootTime.now().milliseconds), timer == nil,
            !isStopped
        else { return }
        timer = loop.task(name: "second copy") {
            do {
                try await self.loop.sleep(for: .milliseconds(delay))
            } catch {
                return
            }
            await self.copy()
        }
    }

    /// Writes the counters of what is written.
    func save() {
        do {
            try saveCounters()
        } catch {
            log.warning("the counters of `cleat status --flash` were not kept: \(error)")
        }
    }

    private func copy() async {
        timer = nil
        do {
            if try await store.writeCopyIfDue(.now(bootID: bootID)) { save() }
        } catch {
            log.warning("the second copy of the settings was not written: \(error)")
        }
        await plan()
    }
}

extension LayeredSettings {
    /// Returns the value of an integer setting.
    func integer(at path: String) -> Int64? {
        (try? SettingPath(path)).flatMap(value)?.value?.integerValue
    }

    /// Returns the value of a setting that counts bytes.
    func byteCount(at path: String) -> Int64? {
        let value = (try? SettingPath(path)).flatMap(value)?.value
        return value?.integerValue ?? value?.stringValue.flatMap(ByteCountText.bytes)
    }
}
