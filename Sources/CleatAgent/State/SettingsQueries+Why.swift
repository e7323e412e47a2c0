import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore

/// The change that set a committed value.
struct CommittedSource {
    /// The store's row of the value.
    let row: StoredSetting
    /// The generation that wrote the row; nil if the history does not have it any more.
    let generation: GenerationRecord?
}

extension SettingsQueries {
    /// Returns all layers of a path.
    ///
    /// - Parameters:
    ///   - path: A setting or a group.
    ///   - reveal: True if secrets are included.
    ///   - source: The change that set the committed value; nil if there is none, or if it is on trial.
    ///   - origins: The origins of volatile values.
    /// - Returns: The layers, the highest first, and the value after `unset`.
    /// - Throws: `APIError` for an unknown path, and for values that do not fit into one reply.
    func why(
        _ path: SettingPath, reveal: Bool, set source: CommittedSource?, _ origins: [SettingPath: VolatileOrigin]
    ) throws(APIError) -> SettingsInterface.Why.Reply {
        guard let setting = settings.value(at: path) else { throw unknown(path) }
        let without = settings.withoutCommitted
        let unset = without.value(at: path)
        var weight = setting.weight + (unset?.value?.weight ?? 0)
        for layer in LayeredSettings.stored { weight += settings[layer].value(at: path)?.weight ?? 0 }
        guard weight <= Self.valueBytes else {
            throw APIError.storeFailed(
                code: "too_large",
                message: "the values of \(path) exceed the size of one reply; read a path below it, or use 'get'")
        }
        var layers: [LayerInfo] = []
        for layer in LayeredSettings.stored {
            guard var info = info(of: layer, setting, reveal) else { continue }
            // A group has a row only where it is empty.
            switch layer {
            case .committed where settings[layer][path] != nil: describe(source, of: path, in: &info)
            case .volatile where settings[layer][path] != nil:
                let origin = origins[settings.renamedVolatile[path] ?? path]
                (info.author, info.time, info.comment) = (origin?.author, origin?.time, origin?.comment)
            default: break
            }
            layers.append(info)
        }
        if let value = settings.schema.lookup(path)?.defaultValue {
            layers.append(
                LayerInfo(
                    layer: .schemaDefault, value: shown(value, at: path, reveal),
                    inForce: setting.origin == .schemaDefault
                        && applier.adapters.isDefaultInForce(at: path, settings)))
        }
        return SettingsInterface.Why.Reply(
            store: reference.store, generation: reference.generation, setting: info(setting, reveal: reveal),
            layers: layers,
            lock: settings.locks[path].map { lock in
                LockInfo(path: lock.path?.text ?? "", layer: lock.layer, file: lock.file, reason: lock.reason)
            },
            unset: unset.flatMap { unset in
                var info = SettingInfo(unset, reveal: reveal)
                describeDefault(in: &info, of: unset, without, reveal: reveal)
                guard unset.value != nil, info.value != nil || info.secret == true else { return nil }
                return LayerInfo(
                    layer: unset.origin, value: info.value, inForce: info.inForce,
                    file: settings.sources.file(of: unset.origin, at: path))
            })
    }

    /// Describes the value of one layer at a path; nil if it has none.
    private func info(of layer: ResolvedSetting.Origin, _ setting: ResolvedSetting, _ reveal: Bool) -> LayerInfo? {
        let path = setting.path
        let ignored = settings.ignored(layer, at: path)
        guard let row = settings[layer][path] ?? settings.sources.refusedValue(layer, at: path) else {
            guard !setting.isSetting else { return nil }
            let rows = settings[layer].rows(under: path).filter { reveal || !settings.schema.hides($0.path) }
            guard !rows.isEmpty else { return nil }
            return LayerInfo(
                layer: layer, value: SettingsTree(rows.lazy.map { ($0.path, $0.value) }).value(at: path),
                inForce: setting.origin == layer)
        }
        return LayerInfo(
            layer: layer, value: shown(row, at: path, reveal), inForce: setting.origin == layer && ignored == nil,
            ignored: ignored?.reason, file: settings.sources.file(of: layer, at: path))
    }

    /// Adds the change that set a committed value, on trial or not.
    private func describe(_ source: CommittedSource?, of path: SettingPath, in info: inout LayerInfo) {
        if let trial = trial(of: path), let generation = trial.generation {
            (info.generation, info.author) = (generation.generation, trial.owner)
            info.time = WallTime(milliseconds: trial.identity.began.time).description
            info.comment = trial.identity.comment
            return
        }
        info.generation = source?.row.generation
        info.author = source?.row.author ?? source?.generation?.author
        info.time = source?.generation.map { WallTime(milliseconds: $0.stamp.time).description }
        info.comment = source?.generation?.remarks
    }

    private func shown(_ value: JSONValue?, at path: SettingPath, _ reveal: Bool) -> JSONValue? {
        reveal || !settings.schema.hides(path) ? value : nil
    }
}
