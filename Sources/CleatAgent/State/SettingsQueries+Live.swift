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

    private func read(
        _ prefix: SettingPath?
    ) async throws -> (values: [(live: LiveValue, adapter: String)], problems: [ResourceError]) {
        let (applier, settings) = (applier, settings)
        return try await applier.worker.run { applier.adapters.live(under: prefix, settings, on: applier.system) }
    }
}
