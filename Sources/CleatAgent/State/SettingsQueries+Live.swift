package import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings

extension SettingsQueries {
    /// The maximum number of values in one reply.
    private static let liveLimit = 2_048

    /// Reads the system's own values of settings.
    ///
    /// - Parameter text: The path of a setting or a group; nil for all settings.
    /// - Returns: The values, and the reasons why some could not be read.
    /// - Throws: `APIError` for an unknown path, and for values that do not fit into one reply.
    package func live(under text: String?) async throws -> SystemInterface.Live.Reply {
        let prefix = try text.map { text throws(APIError) in try SettingPath(fromCaller: text) }
        if let prefix { try requireKnown(prefix) }
        let (values, problems) = try await read(prefix)
        let size = values.reduce(0) { $0 + $1.live.value.weight }
        guard values.count <= Self.liveLimit, size <= Self.valueBytes else {
            throw APIError.storeFailed(
                code: "too_large",
                message: "the \(values.count) values exceed the size of one reply; name a path below it")
        }
        return SystemInterface.Live.Reply(
            values: values.map { live, adapter in
                LiveSetting(
                    path: live.path.text, live: live.value, value: settings.inForce(live.path), adapter: adapter)
            }, problems: problems.map { "\($0)" })
    }

    /// Reads the system's own value of one setting; nil if no adapter reads it.
    func live(_ path: SettingPath) async throws -> JSONValue? {
        guard applier.follows(path) else { return nil }
        return try await read(path).values.first { $0.live.path == path }?.live.value
    }

    /// The maximum number of settings, and of skipped parts, in one reply.
    private static let importLimit = 1_024

    /// Reads the present configuration of the system as settings.
    ///
    /// - Parameter author: The caller; settings that it may not change are skipped.
    /// - Returns: The settings, and the parts that are not imported.
    /// - Throws: `APIError` if there are more settings than fit into one reply.
    func present(for author: Author) async throws -> SystemInterface.Present.Reply {
        let (applier, settings) = (applier, settings)
        let isPrivileged = author.isPrivileged
        let found = try await applier.worker.run {
            applier.adapters.importedSettings(settings, isPrivileged: isPrivileged, on: applier.system)
        }
        let size = found.settings.reduce(0) { $0 + $1.value.weight }
        guard found.settings.count <= Self.importLimit, size <= Self.valueBytes else {
            throw APIError.storeFailed(
                code: "too_large",
                message:
                    "the system has \(found.settings.count) values to import, and at most \(Self.importLimit) fit into "
                    + "one reply; set some of them by hand first")
        }
        let more = found.skipped.count - Self.importLimit
        return SystemInterface.Present.Reply(
            // What is shown here is no secret.
            settings: found.settings.filter { !settings.schema.hides($0.path) }.map {
                PresentSetting(path: $0.path.text, value: $0.value, source: $0.source)
            },
            skipped: found.skipped.prefix(Self.importLimit).map { SkippedPart(source: $0.source, reason: $0.reason) },
            omitted: more > 0 ? more : nil)
    }

    /// Returns the service that configures interfaces, and the files of the interfaces.
    func network() async throws -> SystemInterface.Network.Reply {
        let (applier, settings) = (applier, settings)
        let links = try await applier.worker.run { try applier.adapters.linkSources(settings, on: applier.system) }
        return SystemInterface.Network.Reply(
            service: applier.adapters.networkAdapter?.name,
            interfaces: links.map { ConfiguredLink(name: $0.name, managed: $0.isSet, source: $0.source) })
    }

    private func read(
        _ prefix: SettingPath?
    ) async throws -> (values: [(live: LiveValue, adapter: String)], problems: [ResourceError]) {
        let (applier, settings) = (applier, settings)
        return try await applier.worker.run { applier.adapters.live(under: prefix, settings, on: applier.system) }
    }
}
