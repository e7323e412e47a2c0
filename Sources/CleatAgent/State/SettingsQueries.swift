package import CleatAPI
import CleatAdapters
import CleatJSON
package import CleatSettings

/// Answers questions about the settings in force, without waiting for a change that is being written.
///
/// Its answers are about one state.
package final class SettingsQueries: Sendable {
    /// The settings in force.
    package let settings: LayeredSettings
    /// The generation of the settings.
    package let reference: GenerationRef
    /// The applier, which knows the adapters.
    let applier: SystemApplier
    /// The change that is being applied to the system, or on trial.
    let transaction: RunningTransaction?
    /// The revision of the state: answers of the same one are equal.
    let revision: UInt64

    /// Takes the present state.
    init(_ live: LiveState) {
        settings = live.state.settings
        reference = live.state.reference
        applier = live.applier
        transaction = live.transaction
        revision = live.revision
    }

    /// The maximum number of settings in one reply of a listing.
    static let pageSize = 256

    /// Returns the value of one path; secrets are omitted unless they are to be revealed.
    ///
    /// - Parameters:
    ///   - path: A setting or a group.
    ///   - reveal: True if secrets are included.
    ///   - isDefault: True if the schema's default is requested, whatever is set.
    ///   - isBounded: True if the values must fit into one reply.
    /// - Returns: The value; none if it is left to the system.
    /// - Throws: `APIError` for an unknown path, and for values that do not fit into one reply.
    package func get(
        _ path: SettingPath, reveal: Bool = false, default isDefault: Bool = false, isBounded: Bool = true
    ) throws(APIError) -> SettingsInterface.Get.Reply {
        guard let setting = settings.value(at: path) else { throw unknown(path) }
        return try get(setting, reveal: reveal, default: isDefault, isBounded: isBounded)
    }

    /// Returns the value of a path, as ``get(_:reveal:default:isBounded:)`` does, whose setting or group is known.
    func get(
        _ setting: ResolvedSetting, reveal: Bool, default isDefault: Bool, isBounded: Bool = true
    ) throws(APIError) -> SettingsInterface.Get.Reply {
        let path = setting.path
        if isDefault {
            var info = info(setting, reveal: reveal)
            let value = settings.schema.lookup(path)?.defaultValue
            (info.value, info.origin, info.pending) = (info.secret == true ? nil : value, .schemaDefault, nil)
            info.withDefaults = nil
            info.inForce = setting.origin == .schemaDefault && info.inForce
            return SettingsInterface.Get.Reply(
                store: reference.store, generation: reference.generation, leaf: setting.isSetting, setting: info)
        }
        let info = info(setting, reveal: reveal)
        guard !isBounded || setting.weight + (info.withDefaults?.weight ?? 0) <= Self.valueBytes else {
            throw .storeFailed(
                code: "too_large",
                message:
                    "the values below \(path) exceed the size of one reply; page through it with List ('cleat list')")
        }
        return SettingsInterface.Get.Reply(
            store: reference.store, generation: reference.generation, leaf: setting.isSetting, setting: info,
            note: setting.origin == .schemaDefault ? settings.missingEntry(of: path)?.description : nil)
    }

    /// Describes the value of a path, with the change on trial that set it.
    func info(_ setting: ResolvedSetting, reveal: Bool = false) -> SettingInfo {
        var info = SettingInfo(setting, reveal: reveal)
        if let trial = trial(of: setting.path), trial.machine.isTrial { info.pending = trial.id }
        describeDefault(in: &info, of: setting, settings, reveal: reveal)
        return info
    }

    /// Omits a default from a description unless it is in force, and the secrets of a group unless they are revealed.
    func describeDefault(
        in info: inout SettingInfo, of setting: ResolvedSetting, _ settings: LayeredSettings, reveal: Bool
    ) {
        func isLeftToTheSystem(_ setting: ResolvedSetting) -> Bool {
            setting.origin == .schemaDefault && !applier.adapters.isDefaultInForce(at: setting.path, settings)
        }
        if !setting.isSetting {
            var isPartial = false
            info.value = settings.value(at: setting.path) { one in
                guard reveal || !one.isSecret else { return false }
                let isLeft = isLeftToTheSystem(one)
                isPartial = isPartial || isLeft
                return !isLeft
            }
            if isPartial { info.withDefaults = settings.value(at: setting.path) { reveal || !$0.isSecret } }
        } else if isLeftToTheSystem(setting) {
            (info.value, info.withDefaults) = (nil, info.value)
        } else if setting.origin == .schemaDefault, setting.inactive == nil {
            info.inForce = setting.value != nil
        }
    }

    /// Returns the change that set the value of a path and has not ended, on trial or not; nil if there is none.
    func trial(of path: SettingPath) -> RunningTransaction? {
        guard let transaction, transaction.generation != nil, !transaction.revert.isRecorded,
            transaction.paths.contains(path)
        else { return nil }
        return transaction
    }

    /// Lists one page of settings.
    func list(
        under prefix: SettingPath?, defaults: Bool, after: SettingPath?, reveal: Bool = false
    ) throws(APIError) -> SettingsInterface.List.Reply {
        if let prefix { try requireKnown(prefix) }
        var page = settings.list(under: prefix, defaults: defaults, after: after, limit: Self.pageSize + 1)
        let isLast = page.count <= Self.pageSize
        if !isLast { page.removeLast(page.count - Self.pageSize) }
        page = Self.bounded(page)
        let end = isLast && page.count <= Self.pageSize ? nil : page.last?.path.text
        return SettingsInterface.List.Reply(
            store: reference.store, generation: reference.generation,
            settings: page.map { info($0, reveal: reveal) }, next: end,
            note: page.isEmpty && after == nil ? prefix.flatMap(settings.missingEntry)?.description : nil)
    }

    /// Describes the values that the paths under a prefix may have.
    package func describe(_ prefix: SettingPath?) throws(APIError) -> SettingsInterface.Describe.Reply {
        if let prefix, settings.schema.lookup(prefix) == nil { throw unknown(prefix) }
        return SettingsInterface.Describe.Reply(describing: prefix, in: settings.schema)
    }

    /// Returns one page of the present values that a watcher sees, defaults included.
    func watched(
        by watcher: SettingsWatcher, after: SettingPath?
    ) -> (reply: SettingsInterface.Watch.Reply, next: SettingPath?) {
        var page: [ResolvedSetting] = []
        if watcher.prefixes.isEmpty {
            page = settings.list(under: nil, after: after, limit: Self.pageSize)
        } else {
            for prefix in watcher.prefixes {
                page += settings.list(under: prefix, after: after, limit: Self.pageSize)
            }
            page.sort { $0.path < $1.path }
            var seen: SettingPath?
            page.removeAll { setting in
                defer { seen = setting.path }
                return seen == setting.path
            }
            if page.count > Self.pageSize { page.removeLast(page.count - Self.pageSize) }
        }
        let full = page.count
        page = Self.bounded(page)
        let next = full == Self.pageSize || page.count < full ? page.last?.path : nil
        let reply = SettingsInterface.Watch.Reply(
            store: reference.store, generation: reference.generation, initial: true,
            settings: page.map { info($0) })
        return (reply, next)
    }

    /// Returns the values of paths after a change, in pages; a path without a value is listed as removed.
    func changed(_ paths: some Sequence<SettingPath>) -> [SettingsInterface.Watch.Reply] {
        var replies: [SettingsInterface.Watch.Reply] = []
        var reply = emptyChange
        var bytes = 0
        for path in Array(paths).sortedPaths() {
            if let setting = settings.value(at: path), setting.value != nil {
                reply.settings.append(info(setting))
                bytes += setting.weight
            } else {
                reply.removed.append(path.text)
                bytes += path.text.utf8.count
            }
            if bytes > Self.pageBytes || reply.settings.count + reply.removed.count >= Self.pageSize {
                replies.append(reply)
                reply = emptyChange
                bytes = 0
            }
        }
        if replies.isEmpty || !reply.settings.isEmpty || !reply.removed.isEmpty { replies.append(reply) }
        return replies
    }

    private var emptyChange: SettingsInterface.Watch.Reply {
        SettingsInterface.Watch.Reply(store: reference.store, generation: reference.generation, initial: false)
    }

    // MARK: Refusing

    /// Refuses a path that neither the schema nor any layer knows.
    package func requireKnown(_ path: SettingPath) throws(APIError) {
        guard settings.schema.lookup(path) != nil || settings.holdsRows(at: path) else { throw unknown(path) }
    }

    /// Returns the error for a path that is not a setting.
    func unknown(_ path: SettingPath) -> APIError {
        if let name = settings.schema.newName(of: path) {
            return .unknownSetting(
                path: path.text, message: "\(path) is not a setting of this board any more: it was renamed to \(name)")
        }
        let hint = settings.schema.suggestion(for: path).map { "; did you mean \($0)?" } ?? "; see 'cleat list'"
        return .unknownSetting(path: path.text, message: "\(path) is not a setting of this board\(hint)")
    }

    private static func bounded(_ page: [ResolvedSetting]) -> [ResolvedSetting] {
        var bytes = 0
        for index in page.indices {
            bytes += page[index].weight
            if bytes > pageBytes { return Array(page[...index]) }
        }
        return page
    }

    /// The approximate maximum size in bytes of the settings in one reply: with one value of the maximum size on top it
    /// stays below the size of a message.
    private static let pageBytes = 256 * 1_024
    /// The approximate maximum size in bytes of one value in a reply.
    static let valueBytes = 960 * 1_024
}
