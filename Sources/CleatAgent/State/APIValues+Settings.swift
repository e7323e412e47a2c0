import CleatAPI
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore

extension SettingInfo {
    /// Describes the value of a path; a secret's value is omitted unless it is to be revealed.
    init(_ setting: ResolvedSetting, reveal: Bool = false) {
        self.init(
            path: setting.path.text, value: setting.isSecret && !reveal ? nil : setting.value,
            origin: setting.origin, inForce: setting.isInForce, inactive: setting.inactive?.reason,
            secret: setting.isSecret ? true : nil, lock: setting.lock)
    }
}

extension ChangeRecord {
    /// Describes the value of a path before and after; values that must not be shown are omitted.
    ///
    /// - Parameters:
    ///   - difference: The change in one layer.
    ///   - settings: The settings, which know the secrets.
    ///   - after: The settings after the change, if the values in force from other layers, before and after, are to be
    ///     included.
    ///   - layer: The layer that changes.
    init(
        _ difference: SettingDifference, in settings: LayeredSettings, holding after: LayeredSettings? = nil,
        layer: ResolvedSetting.Origin = .committed
    ) {
        let isSecret = settings.schema.hides(difference.path)
        self.init(
            path: difference.path.text, old: isSecret ? nil : difference.old, new: isSecret ? nil : difference.new,
            inForce: after.flatMap { Self.inForce(besides: difference, $0, layer) },
            before: difference.old == nil
                ? after.flatMap { $0.value(at: difference.path, below: layer).map { SettingInfo($0) } } : nil)
    }

    private static func inForce(
        besides difference: SettingDifference, _ settings: LayeredSettings, _ layer: ResolvedSetting.Origin
    ) -> SettingInfo? {
        if difference.new != nil, !settings.canOverride(layer, at: difference.path) { return nil }
        guard let setting = settings.value(at: difference.path), setting.isSetting, setting.isInForce,
            setting.value != difference.new
        else { return nil }
        return SettingInfo(setting)
    }
}

extension [ChangeRecord] {
    /// The approximate maximum size in bytes of the changes of one reply; the rest of a message is for the other
    /// members.
    private static var byteLimit: Int { 640 * 1_024 }

    /// Returns the values of paths before and after, as far as they fit into a message, and the number of omitted
    /// changes.
    static func records(
        of differences: [SettingDifference], in settings: LayeredSettings, holding after: LayeredSettings? = nil,
        layer: ResolvedSetting.Origin = .committed
    ) -> (changes: [ChangeRecord], omitted: Int?) {
        var changes: [ChangeRecord] = []
        var bytes = 0
        for difference in differences {
            let record = ChangeRecord(difference, in: settings, holding: after, layer: layer)
            bytes += record.weight
            if bytes > byteLimit { break }
            changes.append(record)
        }
        let omitted = differences.count - changes.count
        return (changes, omitted > 0 ? omitted : nil)
    }
}

extension ChangeRecord {
    /// The approximate size of the change on the wire in bytes.
    fileprivate var weight: Int {
        let holding = [inForce, before].reduce(0) { sum, info in
            sum + (info.map { $0.path.wireBytes + 128 + ($0.value.map(\.weight) ?? 0) } ?? 0)
        }
        return path.wireBytes + 32 + (old.map(\.weight) ?? 0) + (new.map(\.weight) ?? 0) + holding
    }
}

extension Generation {
    /// Describes a generation as it is in the history.
    init(_ record: GenerationRecord, in settings: LayeredSettings) {
        let (changes, omitted) = [ChangeRecord].records(of: record.changes, in: settings)
        self.init(
            number: record.number, id: record.id, time: WallTime(milliseconds: record.stamp.time).description,
            bootID: record.stamp.bootID, bootTime: record.stamp.bootTime, synchronised: record.stamp.synchronised,
            author: record.author, comment: record.remarks, changes: changes, omitted: omitted,
            state: State(record.state),
            results: record.results.flatMap([AdapterResult].init(stored:)))
    }
}

extension Generation.State {
    /// Creates the state of a generation in the history; nil for a confirmed one, and for one of a later release, which
    /// the comment names.
    init?(_ state: GenerationState) {
        switch state {
        case .confirmed, .other: return nil
        case .pending: self = .pending
        case .reverted: self = .reverted
        case .restored: self = .restored
        }
    }
}

extension CommitStamp {
    /// Reads all clocks.
    static func now(bootID: String) -> CommitStamp {
        CommitStamp(
            time: WallTime.now().milliseconds, bootID: bootID, bootTime: BootTime.now().milliseconds,
            synchronised: WallTime.clockSynchronised)
    }
}

extension AdapterResult {
    /// Describes the outcome of changes beyond the store: what the service follows itself, what adapters did, and what
    /// no adapter follows.
    ///
    /// - Parameters:
    ///   - differences: The changes.
    ///   - isVolatile: True if only volatile values changed.
    ///   - applier: The applier that applies settings to the system.
    ///   - done: The results of the adapters.
    ///   - notes: The adapters' notes on settings that they do not follow here; whole sentences.
    /// - Returns: The results, in order.
    static func results(
        for differences: [SettingDifference], isVolatile: Bool, by applier: SystemApplier, done: [AdapterResult],
        notes: [String]
    ) -> [AdapterResult] {
        let others = differences.filter { !$0.path.begins(with: Access.ownGroup) && !applier.follows($0.path) }
        var results = done
        results += notes.map { AdapterResult(adapter: "system", state: .notApplied, message: $0) }
        if !others.isEmpty {
            let word =
                !isVolatile ? "stored" : others.contains { $0.new != nil } ? "until the next boot" : "no longer set"
            let named = others.prefix(3).map(\.path.text).joined(separator: ", ")
            let rest = others.count > 3 ? " and \(others.count - 3) more" : ""
            // An application's own settings are for the application; the built-in ones are for the system.
            let isOfSystem = others.contains { Schema.builtIn.lookup($0.path) != nil }
            let level: Level = !isOfSystem ? .detail : applier.isRunning ? .warning : .normal
            results.append(
                AdapterResult(
                    adapter: "system", state: .notApplied, level: level,
                    message: "\(word), for programs that watch it; no adapter follows \(named)\(rest)"))
        }
        return results
    }
}

extension ResolvedSetting {
    /// The approximate size of the setting on the wire in bytes.
    var weight: Int {
        path.text.wireBytes + 96 + (value.map(\.weight) ?? 0)
    }
}

extension JSONValue {
    /// The approximate size of the value on the wire in bytes.
    var weight: Int {
        switch self {
        case .null, .bool: 5
        case .integer, .number: 20
        case .string(let text): text.wireBytes + 2
        case .array(let values): values.reduce(2) { $0 + $1.weight + 1 }
        case .object(let object): object.reduce(2) { $0 + $1.key.wireBytes + $1.value.weight + 4 }
        }
    }
}

extension String {
    /// The maximum number of bytes that the text takes inside of a JSON string.
    fileprivate var wireBytes: Int {
        var text = self
        return text.withUTF8 { bytes in
            var count = bytes.count
            for index in 0..<bytes.count {
                switch unsafe bytes[index] {
                case ..<0x20, 0x7f: count += 5
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): count += 1
                default: break
                }
            }
            return count
        }
    }
}

extension PropertyBlock {
    /// The maximum size in bytes of a value in an event; a hook that needs more reads the setting.
    private static let valueLimit = 1_024

    /// Returns the properties of an event for a changed setting, for hooks and other observers; values that must not be
    /// shown are omitted.
    static func setting(
        _ difference: SettingDifference, generation: Int64, author: String, in settings: LayeredSettings
    ) -> PropertyBlock {
        // In the order of their names, as all properties are.
        var properties = PropertyBlock()
        properties.append("AUTHOR", author)
        properties.append("GENERATION", String(generation))
        guard !settings.schema.hides(difference.path) else { return properties }
        properties.append("OLD", short: difference.old)
        properties.append("VALUE", short: difference.new)
        return properties
    }

    private mutating func append(_ name: String, short value: JSONValue?) {
        guard let text = value.map({ $0.stringValue ?? $0.canonicalText }), text.utf8.count <= Self.valueLimit
        else { return }
        append(name, text)
    }
}
