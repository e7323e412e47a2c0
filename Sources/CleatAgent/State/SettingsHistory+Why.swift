import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

extension SettingsHistory {
    /// Returns all layers of a path; with the write lock, so that the row that the store has is of the same generation as
    /// the settings.
    ///
    /// - Parameters:
    ///   - path: A setting or a group.
    ///   - reveal: True if secrets are included.
    /// - Returns: The layers, the highest first, and the value after `unset`.
    /// - Throws: `APIError` for an unknown path, and for values that do not fit into one reply.
    func why(_ path: SettingPath, reveal: Bool) async throws -> SettingsInterface.Why.Reply {
        let queries = SettingsQueries(live)
        let settings = settings
        // The values below a large group are collected elsewhere, so that others are answered meanwhile.
        let collect: @Sendable () -> CollectedValues? = { CollectedValues(of: path, in: settings) }
        let collected = settings.isLarge(path) ? try await applier.worker.run(collect) : collect()
        guard let collected else { throw queries.unknown(path) }
        let (setting, unset) = (collected.setting, collected.unset)
        guard collected.weight <= SettingsQueries.valueBytes else {
            throw APIError.storeFailed(
                code: "too_large",
                message: "the values of \(path) exceed the size of one reply; read a path below it, or use 'get'")
        }
        var layers: [LayerInfo] = []
        for layer in LayeredSettings.stored {
            if let info = try await info(of: layer, at: path, setting, settings, reveal) { layers.append(info) }
        }
        if let value = settings.schema.lookup(path)?.defaultValue {
            layers.append(
                LayerInfo(
                    layer: .schemaDefault, value: shown(value, at: path, reveal, settings),
                    inForce: setting.origin == .schemaDefault
                        && applier.adapters.isDefaultInForce(at: path, settings)))
        }
        let info = queries.info(setting, reveal: reveal)
        return SettingsInterface.Why.Reply(
            store: reference.store, generation: reference.generation, setting: info, layers: layers,
            lock: settings.locks[path].map { lock in
                LockInfo(
                    path: lock.path?.text ?? "", layer: lock.layer, file: lock.file,
                    reason: lock.reason)
            },
            unset: unset.flatMap { unset in
                var info = SettingInfo(unset, reveal: reveal)
                queries.describeDefault(in: &info, of: unset, collected.without, reveal: reveal)
                guard unset.value != nil, info.value != nil || info.secret == true else { return nil }
                return LayerInfo(
                    layer: unset.origin, value: info.value, inForce: info.inForce,
                    file: settings.sources.file(of: unset.origin, at: path))
            })
    }

    /// Describes the value of one layer at a path; nil if it has none.
    private func info(
        of layer: ResolvedSetting.Origin, at path: SettingPath, _ setting: ResolvedSetting,
        _ settings: LayeredSettings, _ reveal: Bool
    ) async throws -> LayerInfo? {
        let ignored = settings.ignored(layer, at: path)
        guard let row = settings[layer][path] ?? settings.sources.refusedValue(layer, at: path) else {
            guard !setting.isSetting else { return nil }
            let rows = settings[layer].rows(under: path).filter { reveal || !settings.schema.hides($0.path) }
            guard !rows.isEmpty else { return nil }
            return LayerInfo(
                layer: layer, value: SettingsTree(rows.lazy.map { ($0.path, $0.value) }).value(at: path),
                inForce: setting.origin == layer)
        }
        var info = LayerInfo(
            layer: layer, value: shown(row, at: path, reveal, settings),
            inForce: setting.origin == layer && ignored == nil, ignored: ignored?.reason,
            file: settings.sources.file(of: layer, at: path))
        switch layer {
        case .committed:
            if let trial = SettingsQueries(live).trial(of: path), let generation = trial.generation {
                info.generation = generation.generation
                info.author = trial.owner
                info.time = WallTime(milliseconds: trial.identity.began.time).description
                info.comment = trial.identity.comment
                return info
            }
            let record: (row: StoredSetting?, generation: GenerationRecord?)
            do throws(StoreError) {
                record = try await origin(of: path, settings)
            } catch {
                throw APIError(error)
            }
            info.generation = record.row?.generation
            info.author = record.row?.author ?? record.generation?.author
            info.time = record.generation.map { WallTime(milliseconds: $0.stamp.time).description }
            info.comment = record.generation?.remarks
        case .volatile:
            let origin = live.state.volatile.origins[settings.renamedVolatile[path] ?? path]
            info.author = origin?.author
            info.time = origin?.time
            info.comment = origin?.comment
        default: break
        }
        return info
    }

    /// Returns the store's row of a committed value, and its generation if the history still has it.
    private func origin(
        of path: SettingPath, _ settings: LayeredSettings
    ) async throws(StoreError) -> (row: StoredSetting?, generation: GenerationRecord?) {
        let row = try await store.setting(at: settings.storedPath(of: path))
        guard let row else { return (nil, nil) }
        return (row, try await store.record(number: row.generation))
    }

    private func shown(
        _ value: JSONValue?, at path: SettingPath, _ reveal: Bool, _ settings: LayeredSettings
    ) -> JSONValue? {
        reveal || !settings.schema.hides(path) ? value : nil
    }
}

/// The values of a setting or a group, with and without what is set.
private final class CollectedValues: Sendable {
    /// The value in force.
    let setting: ResolvedSetting
    /// The settings without what is set.
    let without: LayeredSettings
    /// The setting or the group after `unset`, which may have no value.
    let unset: ResolvedSetting?
    /// The approximate size in bytes of these values and those of all layers.
    let weight: Int

    /// Collects the values of a path; nil if nothing knows it.
    @inline(never)
    init?(of path: SettingPath, in settings: LayeredSettings) {
        guard let setting = settings.value(at: path) else { return nil }
        self.setting = setting
        without = settings.withoutCommitted
        unset = without.value(at: path)
        var weight = setting.weight + (unset?.value?.weight ?? 0)
        for layer in LayeredSettings.stored { weight += settings[layer].value(at: path)?.weight ?? 0 }
        self.weight = weight
    }
}
