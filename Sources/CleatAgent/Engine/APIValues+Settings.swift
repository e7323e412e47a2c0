import CleatAPI
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore

extension SettingInfo {
    /// Says what a path holds; a secret's value is left out unless it is to be revealed.
    init(_ setting: ResolvedSetting, reveal: Bool = false) {
        self.init(
            path: setting.path.text, value: setting.isSecret && !reveal ? nil : setting.value,
            origin: setting.origin, inForce: setting.isInForce, inactive: setting.inactive?.reason,
            secret: setting.isSecret ? true : nil, lock: setting.lock)
    }
}

extension ChangeRecord {
    /// Says what a path held before and after; values that must not be shown are left out.
    ///
    /// - Parameters:
    ///   - difference: What changed in one layer.
    ///   - settings: Know what is a secret.
    ///   - after: The settings with the change made, where it is to be told what other layers have in force, then and
    ///     before.
    ///   - layer: The layer that changes.
    init(
        _ difference: SettingDifference, in settings: LayeredSettings, holding after: LayeredSettings? = nil,
        layer: ResolvedSetting.Origin = .committed
    ) {
        let isSecret = settings.schema.hides(difference.path)
        self.init(
            path: difference.path.text, old: isSecret ? nil : difference.old, new: isSecret ? nil : difference.new,
            inForce: after.flatMap { Self.inForce(besides: difference, $0) },
            before: difference.old == nil
                ? after.flatMap { $0.value(at: difference.path, below: layer).map { SettingInfo($0) } } : nil)
    }

    private static func inForce(besides difference: SettingDifference, _ settings: LayeredSettings) -> SettingInfo? {
        guard let setting = settings.value(at: difference.path), setting.isSetting, setting.isInForce,
            setting.value != difference.new
        else { return nil }
        return SettingInfo(setting)
    }
}

extension [ChangeRecord] {
    /// About the most bytes that the changes of one reply take; the rest of a message is for what stands around them.
    private static var byteLimit: Int { 640 * 1_024 }

    /// Says what paths held before and after, as far as a message has room, and how many changes that leaves out.
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
    /// About as many bytes as the change takes on the wire.
    fileprivate var weight: Int {
        let holding = [inForce, before].reduce(0) { sum, info in
            sum + (info.map { $0.path.wireBytes + 128 + ($0.value.map(\.weight) ?? 0) } ?? 0)
        }
        return path.wireBytes + 32 + (old.map(\.weight) ?? 0) + (new.map(\.weight) ?? 0) + holding
    }
}

extension Generation {
    /// Says what history holds of a generation.
    init(_ record: GenerationRecord, in settings: LayeredSettings) {
        let (changes, omitted) = [ChangeRecord].records(of: record.changes, in: settings)
        self.init(
            number: record.number, id: record.id, time: WallTime(milliseconds: record.stamp.time).description,
            bootID: record.stamp.bootID, bootTime: record.stamp.bootTime, synchronised: record.stamp.synchronised,
            author: record.author, comment: record.comment, changes: changes, omitted: omitted,
            state: State(rawValue: record.state),
            results: record.results.flatMap([AdapterResult].init(stored:)))
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
    /// Says what has become of changes beyond the store: what the service follows itself, what adapters did, and what
    /// nothing here follows.
    ///
    /// - Parameters:
    ///   - differences: What changed.
    ///   - isVolatile: Whether only volatile values did.
    ///   - follower: What makes the system follow settings.
    ///   - done: What adapters did.
    ///   - notes: What they say of settings that nothing follows here; whole sentences.
    /// - Returns: What is told, in order.
    static func results(
        for differences: [SettingDifference], isVolatile: Bool, by follower: SystemFollower, done: [AdapterResult],
        notes: [String]
    ) -> [AdapterResult] {
        let others = differences.filter { $0.path.segments.first != "agent" && !follower.follows($0.path) }
        var results = done
        results += notes.map { AdapterResult(adapter: "system", state: .notApplied, message: $0) }
        if !others.isEmpty {
            let word = !isVolatile ? "stored" : others.contains { $0.new != nil } ? "until the next boot" : "taken away"
            let named = others.prefix(3).map(\.path.text).joined(separator: ", ")
            let rest = others.count > 3 ? " and \(others.count - 3) more" : ""
            results.append(
                AdapterResult(
                    adapter: "system", state: .notApplied,
                    message: "\(word), for programs that watch it; no adapter follows \(named)\(rest)"))
        }
        return results
    }
}

extension ResolvedSetting {
    /// About as many bytes as the setting takes on the wire.
    var weight: Int {
        path.text.wireBytes + 96 + (value.map(\.weight) ?? 0)
    }
}

extension JSONValue {
    /// About as many bytes as the value takes on the wire.
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
    /// The most bytes that the text takes inside of a JSON string.
    fileprivate var wireBytes: Int {
        utf8.reduce(0) { bytes, byte in
            switch byte {
            case ..<0x20, 0x7f: bytes + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes + 2
            default: bytes + 1
            }
        }
    }
}

extension PropertyBlock {
    /// The most bytes of a value that an event carries; a hook that needs more asks for it.
    private static let valueLimit = 1_024

    /// Says what became of a setting, for hooks and other observers of events; values that must not be shown are left
    /// out.
    static func setting(
        _ difference: SettingDifference, generation: Int64, author: String, in settings: LayeredSettings
    ) -> PropertyBlock {
        var properties = ["AUTHOR": author, "GENERATION": String(generation)]
        guard !settings.schema.hides(difference.path) else { return PropertyBlock(properties) }
        for (name, value) in [("OLD", difference.old), ("VALUE", difference.new)] {
            guard let value else { continue }
            let text = value.stringValue ?? value.canonicalText
            if text.utf8.count <= valueLimit { properties[name] = text }
        }
        return PropertyBlock(properties)
    }
}
